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

const deepArguments = `{"at":${'['.repeat(20_000)}${']'.repeat(20_000)}}`

let upstream: UpstreamServer
let gateway: TestGateway
beforeAll(async () => {
  upstream = await openUpstream({
    broken: calling({ name: 'remove', arguments: '{"path": "a' }),
    deep: calling({ name: 'look', arguments: deepArguments }),
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
