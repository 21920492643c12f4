import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const model = 'openai/gpt-4.1-mini'
const ask = (label: string, fault = '') => `[[sandbox: label=${label} ${fault}]]`
test.each([
  ['a completion', chatPath, chatOf(ask('again-0')), 0],
  ['a stream', chatPath, chatOf(ask('again-1'), { stream: true }), 1],
  [
    'a stream that broke off',
    chatPath,
    chatOf(ask('again-2', 'tokens=50 cut_after=20'), { stream: true }),
    1,
  ],
  ['a stream of Responses', '/v1/responses', { model, stream: true, input: ask('again-3') }, 1],
  [
    'a stream of Messages',
    '/v1/messages',
    {
      model,
      stream: true,
      max_tokens: 500,
      messages: [{ role: 'user', content: ask('again-4') }],
    },
    1,
  ],
])('replays %s to the identical request, the receipt where it was', async (...given) => {
  const [, path, body, receipts] = given
  const label = /again-./.exec(JSON.stringify(body))?.[0] ?? ''
  const { v2 } = await signPayment(gateway, 5, { path, body })
  const first = await (await post(gateway, path, { body, headers: v2 })).text()
  const second = await post(gateway, path, { body, headers: v2 })
  expect(second.status).toBe(200)
  const replay = await second.text()
  const id = second.headers.get('x-payment-id')
  // What a receipt says may have changed: the refund is on its way.
  const read: unknown[] = []
  const withoutState = (text: string) =>
    text.replace(/^: receipt (.*)$/gm, (_, record: string) => {
      read.push((JSON.parse(record) as { readonly id: string }).id)
      return ': receipt'
    })
  expect(withoutState(replay)).toBe(withoutState(first))
  expect(read).toEqual(Array.from({ length: 2 * receipts }, () => id))
  expect(gateway.sandboxCalls(label)).toBe(1)
})
