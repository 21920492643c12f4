import { displayUsd, parseUsd, sum, type Usd } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChatPrice, costByRates, itemizeUsage, readUsageBody } from '../../src/index.ts'
import { chatRequest, usageOf } from '../support/arbitraries.ts'

const perToken = (perMillion: string): Usd => (parseUsd(perMillion) / 1_000_000n) as Usd
const price: ChatPrice = {
  version: 'a',
  rates: {
    input: perToken('3'),
    output: perToken('15'),
    cacheRead: perToken('0.3'),
    cacheWrite: perToken('3.75'),
  },
  tiers: [],
}

/** Bodies as the providers document them, each with 1,000 input tokens, 400 cached, 300 output. */
const bodies: readonly (readonly [string, object])[] = [
  [
    "OpenAI's chat",
    {
      prompt_tokens: 1000,
      completion_tokens: 300,
      total_tokens: 1300,
      prompt_tokens_details: { cached_tokens: 400 },
      completion_tokens_details: { reasoning_tokens: 200 },
    },
  ],
  [
    "xAI's chat, with reasoning apart from the output",
    {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1300,
      prompt_tokens_details: { cached_tokens: 400 },
      completion_tokens_details: { reasoning_tokens: 200 },
    },
  ],
  [
    "DeepSeek's chat",
    {
      prompt_tokens: 1000,
      completion_tokens: 300,
      total_tokens: 1300,
      prompt_cache_hit_tokens: 400,
      completion_tokens_details: { reasoning_tokens: 200 },
    },
  ],
  [
    'Responses',
    {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens: 300,
      output_tokens_details: { reasoning_tokens: 200 },
    },
  ],
  [
    'Messages',
    {
      input_tokens: 600,
      cache_read_input_tokens: 400,
      output_tokens: 300,
      output_tokens_details: { thinking_tokens: 200 },
    },
  ],
  [
    'Gemini',
    {
      promptTokenCount: 1000,
      cachedContentTokenCount: 400,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 200,
    },
  ],
  [
    'the AI SDK, version 5',
    {
      inputTokens: 1000,
      cachedInputTokens: 400,
      outputTokens: 300,
      reasoningTokens: 200,
      totalTokens: 1300,
    },
  ],
  [
    'the AI SDK, version 6',
    {
      inputTokens: 1000,
      inputTokenDetails: { noCacheTokens: 600, cacheReadTokens: 400, cacheWriteTokens: undefined },
      outputTokens: 300,
      outputTokenDetails: { textTokens: 100, reasoningTokens: 200 },
      totalTokens: 1300,
    },
  ],
]

test.each(bodies)('the usage of %s is read and itemized', (_, body) => {
  const usage = readUsageBody(body)
  expect(usage).toEqual({
    inputTokens: 1000,
    outputTokens: 300,
    cacheReadTokens: 400,
    cacheWriteTokens: 0,
    reasoningTokens: 200,
    source: 'provider',
  })
  if (usage === undefined) return
  const lines = itemizeUsage(price, usage)
  expect(lines.map(({ what, tokens, amount }) => [what, tokens, displayUsd(amount)])).toEqual([
    ['input', 600, '$0.0018'],
    ['cache read', 400, '$0.00012'],
    ['output', 300, '$0.0045'],
  ])
})

test.each(bodies)('the usage of a whole response is read: %s', (_, body) => {
  const key = 'promptTokenCount' in body ? 'usageMetadata' : 'usage'
  expect(readUsageBody({ id: 'one', [key]: body })).toEqual(readUsageBody(body))
})

test('cache writes of Messages are part of the input', () => {
  const usage = readUsageBody({
    input_tokens: 10,
    cache_creation_input_tokens: 90,
    output_tokens: 0,
  })
  if (usage === undefined) throw new Error('not read')
  expect(usage.inputTokens).toBe(100)
  expect(itemizeUsage(price, usage).map(({ what, tokens }) => [what, tokens])).toEqual([
    ['input', 10],
    ['cache write', 90],
  ])
})

test("cached tokens of Bedrock's Converse are part of the input", () => {
  const usage = readUsageBody({
    usage: {
      inputTokens: 10,
      cacheReadInputTokens: 60,
      cacheWriteInputTokens: 30,
      outputTokens: 5,
      totalTokens: 105,
    },
  })
  expect(usage).toMatchObject({ inputTokens: 100, cacheReadTokens: 60, cacheWriteTokens: 30 })
})

test('cached tokens of Claude are part of the input in version 5 of the AI SDK too', () => {
  const usage = readUsageBody({ inputTokens: 10, cachedInputTokens: 60, outputTokens: 5 })
  expect(usage).toMatchObject({ inputTokens: 70, cacheReadTokens: 60 })
})

test.each([
  ['Moonshot', 'cached_tokens'],
  ['Mistral', 'num_cached_tokens'],
])('cached tokens of %s are read from %s', (_, name) => {
  const usage = readUsageBody({ prompt_tokens: 20, completion_tokens: 3, [name]: 10 })
  expect(usage).toMatchObject({ inputTokens: 20, cacheReadTokens: 10 })
})

test('audio that Mistral reports apart from the prompt is input, and not output of the total', () => {
  const usage = readUsageBody({
    prompt_tokens: 9,
    completion_tokens: 201,
    total_tokens: 585,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
  })
  expect(usage).toMatchObject({ inputTokens: 384, outputTokens: 201 })
})

test('cached tokens that Grok reports apart from the prompt are part of the input', () => {
  const usage = readUsageBody({
    prompt_tokens: 7,
    completion_tokens: 1,
    total_tokens: 8,
    prompt_tokens_details: { cached_tokens: 163, audio_tokens: 0, text_tokens: 7 },
  })
  expect(usage).toMatchObject({ inputTokens: 170, cacheReadTokens: 163, outputTokens: 1 })
})

test('a total that counts cached tokens in addition to the prompt adds no output', () => {
  const usage = readUsageBody({
    prompt_tokens: 7,
    completion_tokens: 8,
    total_tokens: 178,
    prompt_tokens_details: { cached_tokens: 163 },
  })
  expect(usage?.outputTokens).toBe(8)
})

test('cache writes of Responses are read', () => {
  const usage = readUsageBody({
    input_tokens: 4020,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 4012 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
  })
  if (usage === undefined) throw new Error('not read')
  expect(itemizeUsage(price, usage).map(({ what, tokens }) => [what, tokens])).toEqual([
    ['input', 8],
    ['cache write', 4012],
    ['output', 4],
  ])
})

test('Claude bills the compaction of a context, which its totals leave out', () => {
  const call = { input_tokens: 162, output_tokens: 11, cache_read_input_tokens: 0 }
  const compaction = {
    input_tokens: 99_195,
    output_tokens: 81,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
  }
  const usage = readUsageBody({
    ...call,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    iterations: [
      { ...compaction, type: 'compaction' },
      { ...call, type: 'message' },
    ],
  })
  expect(usage).toMatchObject({
    inputTokens: 99_382,
    outputTokens: 92,
    cacheReadTokens: 20,
    cacheWriteTokens: 5,
    cacheWriteHourTokens: 3,
  })
})

test('the results of tools that Gemini ran are input', () => {
  const usage = readUsageBody({
    promptTokenCount: 30,
    toolUsePromptTokenCount: 500,
    candidatesTokenCount: 8,
    thoughtsTokenCount: 4,
  })
  expect(usage).toMatchObject({ inputTokens: 530, outputTokens: 12 })
})

test('reasoning that only the total has is output', () => {
  const usage = readUsageBody({ prompt_tokens: 10, completion_tokens: 20, total_tokens: 500 })
  expect(usage?.outputTokens).toBe(490)
})

test.each([
  { prompt_tokens: -5, completion_tokens: 7 },
  { prompt_tokens: 1.5, completion_tokens: 7 },
  { prompt_tokens: 5, completion_tokens: '7' },
  { promptTokenCount: Number.NaN },
  { input_tokens: 5, output_tokens: 2 ** 53 },
  { input_tokens: 5, cache_read_input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 7 },
  { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: Number.MAX_SAFE_INTEGER },
])('totals that are not counts are not read as none: %o', (body) => {
  expect(readUsageBody(body)).toBeUndefined()
})

test('without an output, it has no tokens', () => {
  expect(readUsageBody({ prompt_tokens: 5, completion_tokens: null })?.outputTokens).toBe(0)
  expect(readUsageBody({ prompt_tokens: 5 })?.outputTokens).toBe(0)
})

test('of Cohere, the billed units are read, not the tokens', () => {
  const units = { input_tokens: 8, output_tokens: 5 }
  const usage = { billed_units: units, tokens: { input_tokens: 70, output_tokens: 7 } }
  expect(readUsageBody({ id: 'one', usage })).toMatchObject({ inputTokens: 8, outputTokens: 5 })
  expect(readUsageBody({ meta: usage })).toBeUndefined()
})

test.each([null, 5, 'text', [], {}, { prompt_tokens: '5' }])('%j is not read as usage', (body) => {
  expect(readUsageBody(body)).toBeUndefined()
})

test('the items add up to the cost by rates', () => {
  fc.assert(
    fc.property(
      chatRequest.chain((request) => fc.tuple(fc.constant(request), usageOf(request))),
      ([request, usage]) => {
        const lines = itemizeUsage(request.price, usage)
        expect(sum(lines.map(({ amount }) => amount))).toBe(costByRates(request.price, usage))
      },
    ),
    { numRuns: 300 },
  )
})
