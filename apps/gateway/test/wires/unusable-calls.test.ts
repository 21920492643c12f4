import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath } from '../support/sign-payment.ts'

const model = 'openai/gpt-4.1-mini'

/** An answer of some text and one call. */
const calling = (call: object) => (response: Parameters<typeof beginStream>[0]) => {
  beginStream(response)
  response.write(chunk({ role: 'assistant', content: 'I look.' }))
  response.write(chunk({ tool_calls: [{ index: 0, id: 'a', function: call }] }))
  response.write(chunk({}, {}, 'tool_calls'))
  response.end('data: [DONE]\n\n')
}

const nested = (levels: number) => `{"at":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

let upstream: UpstreamServer
let gateway: TestGateway
beforeAll(async () => {
  upstream = await openUpstream({
    broken: calling({ name: 'remove', arguments: '{"path": "a' }),
    deep: calling({ name: 'look', arguments: nested(20_000) }),
    unreturnable: calling({ name: 'look', arguments: nested(196) }),
    deepest: calling({ name: 'look', arguments: nested(195) }),
    nameless: calling({ name: '', arguments: '{"path":"a"}' }),
  })
  gateway = await openGateway({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
})

const messages = (text: string, fields: object = {}): object => {
  return { model, max_tokens: 100, messages: [{ role: 'user', content: text }], ...fields }
}
const unusable = 'The model wrote a tool call or JSON that cannot be used.'

test.each([
  ['a call without a name', chatPath, chatOf('nameless')],
  ['a call without a name', '/v1/responses', { model, input: 'nameless' }],
  ['a call without a name', '/v1/messages', messages('nameless')],
  ['a call with broken arguments', '/v1/messages', messages('broken')],
  ['a call with deeply nested arguments', '/v1/messages', messages('deep')],
  ['a call that no body can hold', '/v1/messages', messages('unreturnable')],
])('%s on %s: 503, and nothing is charged', async (_, path, body) => {
  const response = await buy(gateway, 0, { path, body })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining(unusable) },
    payment: { cost: { usdc: '0' } },
  })
})

test('broken arguments are passed on where arguments are text', async () => {
  const response = await buy(gateway, 1, { body: chatOf('broken') })
  const { choices } = await response.json()
  expect(choices[0].message.tool_calls[0].function.arguments).toBe('{"path": "a')
})

test('the deepest call of an answer can be sent back', async () => {
  const answer = await buy(gateway, 3, { path: '/v1/messages', body: messages('deepest') })
  const { content } = await answer.json()
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'seen' }
  const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'user', content: 'deepest' },
        { role: 'assistant', content },
        { role: 'user', content: [result] },
      ],
    }),
  })
  expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
})

test.each(['broken', 'deep', 'nameless'])(
  'a message whose stream has a %s call ends with an error',
  async (text) => {
    const response = await buy(gateway, 2, {
      path: '/v1/messages',
      body: messages(text, { stream: true }),
    })
    const end = /\ndata: (.*)\n\n$/.exec(await response.text())?.[1]
    expect(JSON.parse(end ?? '')).toMatchObject({
      type: 'error',
      error: { type: 'api_error', details: { error_code: 'upstream_truncated' } },
    })
    const id = response.headers.get('x-payment-id') ?? ''
    expect(await gateway.record(id)).toMatchObject({ status: 'completed' })
  },
)
