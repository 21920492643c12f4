import { afterAll, beforeAll, expect, test } from 'vitest'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openAiEvents, openVendorServer, type VendorServer } from '../wires/vendor-server.ts'

let usage: object = {}
let deltas: readonly object[] = []
let vendor: VendorServer
let gateway: TestGateway

beforeAll(async () => {
  vendor = await openVendorServer(() => ({ events: openAiEvents(deltas, 'stop', usage) }))
  gateway = await openGateway({
    REFUND_MIN_USDC: '1',
    MIN_CHARGE_USDC: '0.000002',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: vendor.url,
    XAI_API_KEY: 'k',
    XAI_BASE_URL: vendor.url,
  })
})
afterAll(async () => {
  await gateway.stop()
  vendor.close()
})

type Sold = { readonly usage: object }

async function sold(payer: number, fields: Readonly<Record<string, unknown>>) {
  const response = await buy(gateway, payer, { body: chatOf('Hello', fields) })
  const completion = (await response.json()) as Sold
  const record = await gateway.record(response.headers.get('x-payment-id') ?? '')
  expect(BigInt(record.paid.usdc)).toBe(
    BigInt(record.cost?.usdc ?? '') + BigInt(record.refund?.usdc ?? '0'),
  )
  return { completion, cost: BigInt(record.cost?.usdc ?? ''), paid: BigInt(record.paid.usdc) }
}

test.each([
  { prompt_tokens: 9e15, completion_tokens: 5 },
  { prompt_tokens: 20, completion_tokens: 9e15 },
])('usage of %j is ignored, and the text is counted', async (impossible) => {
  deltas = [{ role: 'assistant', content: 'A fare box.' }]
  usage = impossible
  const { completion, cost, paid } = await sold(0, {})
  expect(completion.usage).toMatchObject({ completion_tokens: 4, source: 'counted' })
  expect(cost * 20n).toBeLessThan(paid)
})

test('reasoning beyond the cap, which xAI bills and the quote includes, is billed', async () => {
  deltas = Array.from({ length: 400 }, () => ({ reasoning_content: 'so ' }))
  deltas = [{ role: 'assistant' }, ...deltas, { content: 'A fare box.' }]
  const completion_tokens_details = { reasoning_tokens: 3_000 }
  usage = { prompt_tokens: 20, completion_tokens: 10, completion_tokens_details }
  const model = 'x-ai/grok-4.5'
  const { completion, cost } = await sold(1, { model, max_tokens: 16 })
  expect(completion).toMatchObject({
    choices: [{ finish_reason: 'stop', message: { content: 'A fare box.' } }],
    usage: { prompt_tokens: 20, completion_tokens: 3_010 },
  })
  // 6 USD a million.
  expect(cost).toBeGreaterThanOrEqual(3_010n * 6n)
})
