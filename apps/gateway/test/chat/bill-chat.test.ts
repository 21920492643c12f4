import { atomicUsdc, picodollars } from '@farebox/money'
import { type ChatPrice, quoteChat, type Usage } from '@farebox/pricing'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type Billed, billChat } from '../../src/chat/bill-chat.ts'

const tokens = createTokenCounter()
afterAll(() => tokens.close())

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`)

/** One dollar a million in and two out, tenfold from 6:00 to 10:00 on Fridays. */
const price: ChatPrice = {
  version: 'test',
  rates: { input: picodollars(1_000_000n), output: picodollars(2_000_000n) },
  tiers: [],
  peak: {
    rates: { input: picodollars(10_000_000n), output: picodollars(20_000_000n) },
    tiers: [],
    windows: [{ days: [5], fromMinute: 360, toMinute: 600 }],
  },
}
const quote = quoteChat({
  model: 'test/model',
  price,
  terms: { bufferBps: 1000, markupBps: 0, minimumCharge: atomicUsdc(1n) },
  inputTokens: 1000,
  maxOutputTokens: 1000,
  choices: 1,
})
const usage: Usage = {
  inputTokens: 1000,
  outputTokens: 500,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  source: 'provider',
}
const billed = (fields: Partial<Billed>): Billed => ({
  quote,
  inputTokens: 1000,
  counter: 'generic',
  delivered: { choices: [], bytes: 0, chunks: 0, images: 0, bytesNotKept: 0 },
  usage,
  withoutUsage: 'counted',
  usageSoFar: null,
  during: { from: at('12:00:00'), to: at('12:00:30') },
  ...fields,
})

test.each([
  ['before the peak', '05:59:00', '05:59:59', 2_000n],
  ['into the peak', '05:59:00', '06:00:01', 20_000n],
  ['in the peak', '09:00:00', '09:00:10', 20_000n],
  ['out of the peak', '09:59:59', '10:01:00', 20_000n],
  ['after the peak', '10:00:00', '10:01:00', 2_000n],
])('a call %s costs what its hours cost', async (_, from, to, cost) => {
  const during = { from: at(from), to: at(to) }
  expect(await billChat(billed({ during }), tokens)).toMatchObject({ cost })
})

test('the hours that the provider reports take precedence over ours', async () => {
  const served = { from: at('05:00:00'), to: at('05:00:10') }
  const during = { from: at('05:59:00'), to: at('06:01:00') }
  const bill = await billChat(billed({ during, usage: { ...usage, served } }), tokens)
  expect(bill.cost).toBe(2_000n)
})

/** Text of about 200 tokens. */
const words = {
  choices: [{ index: 0, content: 'word '.repeat(200), reasoning: '', toolCalls: '', refusal: '' }],
  bytes: 1000,
  chunks: 200,
  images: 0,
  bytesNotKept: 0,
}

test('a completion without usage is counted and billed at the rates of its hours', async () => {
  const bill = await billChat(billed({ usage: null, delivered: words }), tokens)
  expect(bill.usage.source).toBe('counted')
  const { outputTokens } = bill.usage
  expect(outputTokens).toBeGreaterThan(150)
  expect(bill.cost).toBe(1_000n + 2n * BigInt(outputTokens))
})

test('output that may be billed beyond the text counts as thoughts', async () => {
  const own = await billChat(billed({ usage: null, delivered: words }), tokens)
  const most = { usage: null, delivered: words, withoutUsage: 'most' } as const
  const bill = await billChat(billed(most), tokens)
  const reasoningTokens = 1000 - own.usage.outputTokens
  expect(bill.usage).toMatchObject({ outputTokens: 1000, reasoningTokens })
})

test('output that may be billed includes what a provider may reason beyond the cap', async () => {
  const allowed = { ...price, outputAllowanceTokens: 300 }
  const twice = { ...quote, price: allowed, choices: 2 }
  const bill = await billChat(billed({ usage: null, withoutUsage: 'most', quote: twice }), tokens)
  expect(bill.usage).toMatchObject({ outputTokens: 1600, reasoningTokens: 1600 })
})

test('a usage below half of the text that was delivered is not believed', async () => {
  const own = await billChat(billed({ usage: null, delivered: words }), tokens)
  const half = Math.ceil(own.usage.outputTokens / 2)
  const sourceOf = async (outputTokens: number) => {
    const reported = { ...usage, outputTokens }
    return (await billChat(billed({ usage: reported, delivered: words }), tokens)).usage.source
  }
  expect(own.usage.outputTokens % 2).toBe(0)
  expect(await sourceOf(half)).toBe('provider')
  expect(await sourceOf(half - 1)).toBe('counted')
})

test('what a provider bills beyond what was paid is recorded, not charged', async () => {
  const reportedCost = picodollars(50_000_000_000n)
  const bill = await billChat(billed({ usage: { ...usage, reportedCost } }), tokens)
  expect(bill.upstream).toBe(reportedCost)
  expect(bill.cost).toBe(quote.maximum)
})

test.each([
  ['counted', 1_000n, 0],
  ['nothing', 1n, 0],
  ['most', 3_000n, 1000],
] as const)(
  'without usage and text, the basis %s costs %d',
  async (withoutUsage, cost, thoughts) => {
    const bill = await billChat(billed({ usage: null, withoutUsage }), tokens)
    expect(bill.cost).toBe(cost)
    expect(bill.usage).toMatchObject({ reasoningTokens: thoughts, source: 'counted' })
  },
)

test('a client that left before the first word leaves what the input may cost unpaid', async () => {
  const left = billed({ usage: null, withoutUsage: 'nothing' })
  expect(await billChat(left, tokens)).toMatchObject({ cost: 1n, unpaidCost: 1_000n })
  const { unpaidCost } = await billChat({ ...left, withoutUsage: 'counted' }, tokens)
  expect(unpaidCost).toBeUndefined()
})

test('a silence that its request may have caused leaves a tenth of the rest unpaid', async () => {
  const bill = await billChat(billed({ faultOf: 'payer' }), tokens)
  expect(bill).toMatchObject({ faultOf: 'payer', unpaidCost: (quote.maximum - 2_000n) / 10n })
})

test('a client that left before the first word is at fault if the input costs more than a cent', async () => {
  const left = billed({ usage: null, withoutUsage: 'nothing' })
  const faultOf = async (fields: Partial<Billed>) =>
    (await billChat({ ...left, ...fields }, tokens)).faultOf
  expect(await faultOf({ inputTokens: 10_001 })).toBe('payer')
  expect(await faultOf({ inputTokens: 10_000 })).toBeUndefined()
  expect(await faultOf({ inputTokens: 10_001, withoutUsage: 'counted' })).toBeUndefined()
  const usageSoFar = { ...usage, outputTokens: 0 }
  expect(await faultOf({ inputTokens: 10_001, usageSoFar })).toBeUndefined()
})

test('the usage that the provider reports takes precedence over any basis', async () => {
  const bills = await Promise.all(
    (['counted', 'nothing', 'most'] as const).map((withoutUsage) =>
      billChat(billed({ withoutUsage }), tokens),
    ),
  )
  expect(bills.map(({ cost }) => cost)).toEqual([2_000n, 2_000n, 2_000n])
})

/** What the provider had counted of an answer that ended early. */
const usageSoFar: Usage = {
  ...usage,
  inputTokens: 900,
  outputTokens: 0,
  cacheReadTokens: 400,
  cacheWriteTokens: 300,
}

const { inputTokens, cacheReadTokens, cacheWriteTokens } = usageSoFar
const inputSoFar = { inputTokens, cacheReadTokens, cacheWriteTokens }

test.each([
  ['counted', 0],
  ['nothing', 0],
  ['most', 1000],
] as const)(
  'on the basis %s, an input that the provider had counted is billed as it did',
  async (withoutUsage, outputTokens) => {
    const bill = await billChat(billed({ usage: null, usageSoFar, withoutUsage }), tokens)
    const counted = { ...inputSoFar, outputTokens }
    expect(bill.usage).toMatchObject({ ...counted, source: 'counted' })
    expect(bill.cost).toBe(900n + 2n * BigInt(outputTokens))
  },
)

test('output that the provider had counted beyond the text is billed', async () => {
  const own = await billChat(billed({ usage: null, delivered: words }), tokens)
  const made = { ...usageSoFar, outputTokens: 700 }
  const bill = await billChat(billed({ usage: null, usageSoFar: made, delivered: words }), tokens)
  const reasoningTokens = 700 - own.usage.outputTokens
  expect(bill.usage).toMatchObject({ outputTokens: 700, reasoningTokens, source: 'provider' })
  const begun = { ...usageSoFar, outputTokens: 1 }
  const early = await billChat(billed({ usage: null, usageSoFar: begun, delivered: words }), tokens)
  expect(early.usage).toMatchObject({ ...own.usage, ...inputSoFar, source: 'counted' })
})

const text = 'word '.repeat(8_000)
const choice = { index: 0, content: text, reasoning: '', toolCalls: '', refusal: '' }
const long = {
  choices: [choice],
  bytes: text.length,
  chunks: 8_000,
  images: 0,
  bytesNotKept: 0,
}

test.each([
  ['by the usage of its provider', usage, 500],
  ['by its length without one', null, text.length / 4],
])('an answer that finds no room to be counted is billed %s', async (_, reported, outputTokens) => {
  const full = createTokenCounter({ maxQueueBytes: 0 })
  onTestFinished(() => full.close())
  const bill = await billChat(billed({ delivered: long, usage: reported }), full)
  expect(bill.usage).toMatchObject({ inputTokens: 1000, outputTokens })
})

test('a counter that fails is not taken for a full one', async () => {
  const closed = createTokenCounter()
  await closed.close()
  const bill = billChat(billed({ delivered: long }), closed)
  await expect(bill).rejects.toMatchObject({ code: 'token_counter_closed' })
})
