import { parseUsd, picodollars } from '@farebox/money'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ChatCall,
  cerebrasProfile,
  chatUsageJson,
  clampUsage,
  collectCompletion,
  createOpenAiCompatibleProvider,
  customProfile,
  deepSeekProfile,
  groqProfile,
  mistralProfile,
  moonshotProfile,
  openRouterProfile,
  type ProviderProfile,
  xAiProfile,
} from '../../src/index.ts'
import { canonicalUsage } from '../../src/wire/canonical-usage.ts'
import { exactCost } from '../../src/wire/exact-cost.ts'
import { chatCall } from '../support/call.ts'
import {
  chunk,
  event,
  openEvents,
  type ProviderServer,
  startProviderServer,
} from '../support/provider-server.ts'

let events = ''
let server: ProviderServer

beforeAll(async () => {
  server = await startProviderServer((response) => {
    openEvents(response)
    response.end(`${events}data: [DONE]\n\n`)
  })
})

afterAll(() => server.stop())

async function outcomeOf(
  profile: ProviderProfile,
  text: string,
  bounds: Pick<ChatCall, 'maxBilledOutput' | 'contextLength'> = {},
) {
  events = text
  const provider = createOpenAiCompatibleProvider({
    profile,
    baseUrl: server.url,
    clock: () => 9_000,
  })
  const outcome = await collectCompletion(await provider.open({ ...chatCall('hello'), ...bounds }))
  await provider.close()
  return outcome
}

const words = chunk({ content: 'a' }, { finish: 'stop' })

function usageEvent(usage: unknown): string {
  return event({ choices: [], usage })
}

type Row = [ProviderProfile, string, object]

const totals = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

test.each<Row>([
  [customProfile, words + usageEvent(totals), { inputTokens: 100, outputTokens: 20 }],
  [
    openRouterProfile,
    words +
      usageEvent({
        ...totals,
        cost: 0.00012345,
        prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 5 },
      }),
    {
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 40,
      cacheWriteTokens: 10,
      reasoningTokens: 5,
      reportedCost: parseUsd('0.00012345'),
    },
  ],
  [customProfile, words + usageEvent({ ...totals, cost: 5 }), { inputTokens: 100 }],
  [
    xAiProfile,
    words + usageEvent({ ...totals, completion_tokens_details: { reasoning_tokens: 30 } }),
    { outputTokens: 50, reasoningTokens: 30 },
  ],
  [
    xAiProfile,
    words + usageEvent({ ...totals, prompt_tokens_details: { cached_tokens: 150 } }),
    { inputTokens: 250, cacheReadTokens: 150 },
  ],
  [
    deepSeekProfile,
    words + usageEvent({ ...totals, prompt_cache_hit_tokens: 64 }),
    { inputTokens: 100, cacheReadTokens: 64 },
  ],
  [
    mistralProfile,
    chunk({ content: 'a' }, { finish: 'stop', usage: { ...totals, num_cached_tokens: 8 } }),
    { inputTokens: 100, cacheReadTokens: 8 },
  ],
  [
    groqProfile,
    chunk({ content: 'a' }, { finish: 'stop', x_groq: { id: 'r', usage: totals } }),
    { inputTokens: 100, outputTokens: 20 },
  ],
  [
    moonshotProfile,
    event({
      choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop', usage: totals }],
    }),
    { inputTokens: 100, outputTokens: 20 },
  ],
  [
    customProfile,
    words + usageEvent({ ...totals, completion_tokens: 5 }) + usageEvent(totals),
    { outputTokens: 20 },
  ],
  [
    customProfile,
    words + usageEvent({ ...totals, completion_tokens_details: { reasoning_tokens: 30 } }),
    { outputTokens: 30, reasoningTokens: 30 },
  ],
  [
    customProfile,
    words + usageEvent({ ...totals, prompt_tokens_details: { cached_tokens: 130 } }),
    { inputTokens: 130, cacheReadTokens: 130 },
  ],
  [
    customProfile,
    words + usageEvent({ ...totals, total_tokens: 160 }),
    { inputTokens: 100, outputTokens: 60 },
  ],
  [
    mistralProfile,
    words +
      usageEvent({ ...totals, total_tokens: 495, prompt_tokens_details: { audio_tokens: 375 } }),
    { inputTokens: 475, outputTokens: 20 },
  ],
  [
    openRouterProfile,
    words +
      usageEvent({
        ...totals,
        prompt_tokens_details: { cached_tokens: 95, cache_write_tokens: 95 },
      }),
    { inputTokens: 100, cacheReadTokens: 95, cacheWriteTokens: 5 },
  ],
  [
    openRouterProfile,
    words +
      usageEvent({
        ...totals,
        cost: 0.001,
        is_byok: true,
        cost_details: { upstream_inference_cost: 0.018 },
      }),
    { inputTokens: 100, reportedCost: parseUsd('0.019') },
  ],
  [
    openRouterProfile,
    words + usageEvent({ ...totals, cost: 0.001, is_byok: true }),
    { inputTokens: 100 },
  ],
  [
    customProfile,
    words + usageEvent({ ...totals, cost: { request_cost: 0.005, total_cost: 0.00502 } }),
    { inputTokens: 100, reportedCost: parseUsd('0.00502') },
  ],
  [
    customProfile,
    words + usageEvent({ ...totals, prompt_tokens_details: { cached_tokens: -3 } }),
    { inputTokens: 100, cacheReadTokens: 0 },
  ],
])('usage of $0.name becomes $2', async (profile, text, expected) => {
  const { usage } = await outcomeOf(profile, text)
  expect(usage).toMatchObject({ source: 'provider', ...expected })
  if (!('reportedCost' in expected)) expect(usage?.reportedCost).toBeUndefined()
})

test.each([
  ['no usage', words],
  ['null', words + usageEvent(null)],
  ['text', words + usageEvent('many')],
  ['a list', words + usageEvent([1, 2])],
  ['a negative count', words + usageEvent({ ...totals, completion_tokens: -1 })],
  ['a fraction', words + usageEvent({ ...totals, completion_tokens: 1.5 })],
  ['a count as text', words + usageEvent({ ...totals, prompt_tokens: '100' })],
  ['an absurd count', words + usageEvent({ ...totals, prompt_tokens: 2 ** 60 })],
  ['a count of zeros', words + usageEvent({ prompt_tokens: 0, completion_tokens: 0 })],
  ['an input of zero', words + usageEvent({ ...totals, prompt_tokens: 0 })],
  ['no total of the output', words + usageEvent({ prompt_tokens: 100 })],
])('%s is not usage: nothing is invented', async (_, text) => {
  const { usage, delivered } = await outcomeOf(customProfile, text)
  expect(usage).toBeNull()
  expect(delivered.choices[0]?.content).toBe('a')
})

test.each([
  { prompt_tokens: -1, completion_tokens: -1 },
  { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
])('a later count of %j does not replace a valid earlier one', async (later) => {
  const { usage } = await outcomeOf(customProfile, words + usageEvent(totals) + usageEvent(later))
  expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
})

test('an input of zero with a cost is billed by the cost', async () => {
  const { usage } = await outcomeOf(
    openRouterProfile,
    words + usageEvent({ ...totals, prompt_tokens: 0, cost: 0.001 }),
  )
  expect(usage).toMatchObject({ inputTokens: 0, reportedCost: parseUsd('0.001') })
})

test.each([
  [63, { outputTokens: 63, reasoningTokens: 60 }],
  [65, { outputTokens: 64, reasoningTokens: 60 }],
  [2 ** 40, { outputTokens: 64, reasoningTokens: 60 }],
])('an output of %d tokens under a cap of 64 is at most that', async (tokens, expected) => {
  const details = { completion_tokens_details: { reasoning_tokens: 60 } }
  const text = words + usageEvent({ ...totals, completion_tokens: tokens, ...details })
  const { usage } = await outcomeOf(customProfile, text)
  expect(usage).toMatchObject(expected)
})

test.each([
  [{ prompt_tokens: 1_063 }, { inputTokens: 1_063, outputTokens: 20 }],
  [{ prompt_tokens: 1_065 }, null],
  [{ completion_tokens: 1_064 }, { inputTokens: 100, outputTokens: 64 }],
  [{ completion_tokens: 1_065 }, null],
  [{ total_tokens: 2 ** 40 }, null],
])('with a context of 1,000 tokens and a cap of 64, %j becomes %j', async (given, expected) => {
  const text = words + usageEvent({ ...totals, ...given })
  const { usage } = await outcomeOf(customProfile, text, { contextLength: 1_000 })
  if (expected === null) expect(usage).toBeNull()
  else expect(usage).toMatchObject(expected)
})

test('output beyond the cap counts as far as it is billed', async () => {
  const details = { completion_tokens_details: { reasoning_tokens: 90 } }
  const text = words + usageEvent({ ...totals, ...details })
  const counted = async (maxBilledOutput: number) =>
    (await outcomeOf(xAiProfile, text, { maxBilledOutput })).usage
  expect(await counted(200)).toMatchObject({ outputTokens: 110, reasoningTokens: 90 })
  expect(await counted(100)).toMatchObject({ outputTokens: 100, reasoningTokens: 90 })
})

test('clamped usage keeps its parts within their total', () => {
  const count = fc.nat({ max: 1000 })
  const some = fc.integer({ min: 1, max: 1000 })
  fc.assert(
    fc.property(some, count, count, count, count, count, count, count, (...counts) => {
      const [a, b, c, d, e, f, maxInput, maxOutput] = counts
      const usage = canonicalUsage({
        input: a,
        output: b,
        cacheRead: c,
        cacheWrite: d,
        cacheWriteHour: e,
        reasoning: f,
      })
      if (usage === null) throw new Error('this usage has an input')
      const clamped = clampUsage(usage, { inputTokens: maxInput, outputTokens: maxOutput })
      expect(clamped.inputTokens).toBe(Math.min(usage.inputTokens, maxInput))
      expect(clamped.outputTokens).toBe(Math.min(usage.outputTokens, maxOutput))
      expect(clamped.cacheReadTokens + clamped.cacheWriteTokens).toBeLessThanOrEqual(
        clamped.inputTokens,
      )
      for (const { cacheWriteHourTokens, cacheWriteTokens } of [usage, clamped]) {
        expect(cacheWriteHourTokens).toBeLessThanOrEqual(cacheWriteTokens)
      }
      expect(clamped.reasoningTokens).toBeLessThanOrEqual(clamped.outputTokens)
      expect(clampUsage(usage, {})).toBe(usage)
    }),
  )
})

test('the seconds of Groq become milliseconds; other profiles ignore them', async () => {
  const usage = {
    ...totals,
    queue_time: 0.0123,
    prompt_time: 0.2,
    completion_time: 1.0015,
    total_time: 1.2015,
  }
  const outcome = await outcomeOf(groqProfile, words + usageEvent(usage))
  expect(outcome.timings).toEqual({ queue: 12.3, prompt: 200, completion: 1001.5, total: 1201.5 })
  const other = await outcomeOf(customProfile, words + usageEvent(usage))
  expect(other.timings).toEqual({ prompt: 0, completion: 0, total: 0 })
})

test('Cerebras sends its timings next to the usage', async () => {
  const time_info = {
    queue_time: 0.001,
    prompt_time: 0.002,
    completion_time: 0.03,
    total_time: 0.04,
  }
  const text = words + event({ choices: [], usage: totals, time_info })
  const outcome = await outcomeOf(cerebrasProfile, text)
  expect(outcome.timings).toEqual({ queue: 1, prompt: 2, completion: 30, total: 40 })
})

test('usage on the wire carries cached and reasoning tokens, timings and its source', () => {
  const usage = {
    inputTokens: 10,
    outputTokens: 4,
    cacheReadTokens: 3,
    cacheWriteTokens: 0,
    reasoningTokens: 2,
    source: 'counted' as const,
  }
  expect(chatUsageJson(usage, { queue: 1, prompt: 2, completion: 3, total: 6 })).toEqual({
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 2 },
    queue_time: 1,
    prompt_time: 2,
    completion_time: 3,
    total_time: 6,
    source: 'counted',
  })
  expect(
    chatUsageJson({ ...usage, cacheReadTokens: 0, reasoningTokens: 0, source: 'provider' }),
  ).toEqual({ prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 })
})

test.each([
  [0.0013, 1_300_000_000n],
  [1e-7, 100_000n],
  [1.5e-9, 1_500n],
  [1e-12, 1n],
  [1e-13, 1n],
  [1.1e-12, 2n],
  [0, 0n],
  [12, 12_000_000_000_000n],
  ['0.00064', 640_000_000n],
  ['3.2E-4', 320_000_000n],
  [1e6, 1_000_000_000_000_000_000n],
])('a cost of %s is %s picodollars', (value, expected) => {
  expect(exactCost(value)).toBe(picodollars(expected))
})

test.each([
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e300,
  1e40,
  '1000000.01',
  '',
  '1,5',
  '$1',
  '0x10',
  null,
  true,
  {},
])('%s is not a cost', (value) => {
  expect(exactCost(value)).toBeNull()
})

test('decimal text of up to twelve decimals survives JSON and back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (amount) => {
      const text = `${amount / 1_000_000_000_000n}.${String(amount % 1_000_000_000_000n).padStart(12, '0')}`
      const { cost } = JSON.parse(`{"cost":${text}}`)
      expect(exactCost(cost)).toBe(amount)
    }),
  )
})
