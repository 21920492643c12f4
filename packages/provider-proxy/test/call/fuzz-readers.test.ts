import { isDeepStrictEqual } from 'node:util'
import { type ChatChunk, chatChunkSchema } from '@farebox/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { createAnthropicReader } from '../../src/anthropic/anthropic-reader.ts'
import { createGeminiReader } from '../../src/gemini/gemini-reader.ts'
import {
  cerebrasProfile,
  groqProfile,
  openRouterProfile,
  UpstreamError,
  xAiProfile,
} from '../../src/index.ts'
import { createOpenAiReader } from '../../src/openai/openai-reader.ts'
import { createDeliveredCounter } from '../../src/relay/delivered.ts'
import type { WireReader } from '../../src/wire/chat-wire.ts'
import { chatCall } from '../support/call.ts'

const frame = { id: 'chatcmpl-1', created: 1, model: 'maker/model', provider: 'test' }

/** JSON whose objects have the names that a wire uses, and anything at all under them. */
function jsonOf(keys: readonly string[], words: readonly string[]): fc.Arbitrary<unknown> {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom(...words, 0, 1, 2, -1, 1.5, 2 ** 60, null, true, '', '\ud800'),
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
    ),
  }))
  return value
}

const openAiKeys = [
  ...['choices', 'index', 'delta', 'message', 'content', 'reasoning', 'reasoning_content'],
  ...['reasoning_details', 'type', 'text', 'summary', 'thinking', 'refusal', 'tool_calls', 'id'],
  ...['function', 'name', 'arguments', 'logprobs', 'finish_reason', 'usage', 'x_groq', 'error'],
  ...['prompt_tokens', 'completion_tokens', 'prompt_tokens_details', 'cached_tokens', 'cost'],
  ...['completion_tokens_details', 'reasoning_tokens', 'time_info', 'queue_time', '__proto__'],
]
const anthropicKeys = [
  ...['type', 'message', 'usage', 'index', 'content_block', 'delta', 'text', 'thinking', 'id'],
  ...['partial_json', 'stop_reason', 'name', 'input_tokens', 'output_tokens', 'error'],
]
const anthropicWords = [
  ...['message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'tool_use'],
  ...['message_stop', 'error', 'end_turn', 'text'],
]
const geminiKeys = [
  ...['candidates', 'content', 'parts', 'text', 'thought', 'functionCall', 'name', 'args', 'id'],
  ...['finishReason', 'promptFeedback', 'blockReason', 'usageMetadata', 'promptTokenCount'],
  ...['candidatesTokenCount', 'thoughtsTokenCount', 'error'],
]

/** Mostly of the wire's own shape down to its deltas, with anything at all from there on. */
function shaped(shape: (any: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>) {
  return (any: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 5, arbitrary: shape(any) }, { weight: 1, arbitrary: any })
}

/** A record with each of the keys, or without it. */
function record(keys: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  return fc.record(keys, { requiredKeys: [] })
}

const openAiShape = shaped((any) =>
  record({
    choices: fc.array(
      record({
        index: fc.oneof(fc.constantFrom(0, 1), any),
        delta: fc.oneof(
          record({ content: any, reasoning: any, tool_calls: fc.array(any), refusal: any }),
          record({ reasoning_details: fc.array(any), content: fc.array(any) }),
          any,
        ),
        finish_reason: any,
        logprobs: any,
      }),
      { maxLength: 3 },
    ),
    usage: any,
  }),
)

const anthropicShape = shaped((any) =>
  record({
    type: fc.constantFrom('message_start', 'content_block_start', 'content_block_delta'),
    index: any,
    message: record({ usage: any }),
    content_block: record({ type: fc.constantFrom('tool_use', 'text'), id: any, name: any }),
    delta: record({ text: any, thinking: any, partial_json: any }),
  }),
)

const geminiShape = shaped((any) =>
  record({
    candidates: fc.array(
      record({
        content: record({
          parts: fc.array(record({ text: any, thought: any, functionCall: any })),
        }),
        finishReason: any,
      }),
      { maxLength: 2 },
    ),
    usageMetadata: any,
    promptFeedback: any,
  }),
)

type Row = readonly [name: string, reader: () => WireReader, events: fc.Arbitrary<unknown>]

const openAi = openAiShape(
  jsonOf(openAiKeys, ['stop', 'error', 'thinking', 'text', 'reasoning.text']),
)
const rows: readonly Row[] = [
  ...[openRouterProfile, groqProfile, cerebrasProfile, xAiProfile].map(
    (profile): Row => [
      profile.name,
      () => createOpenAiReader(frame, chatCall('hi', { request: { n: 2 } }), profile),
      openAi,
    ],
  ),
  [
    'anthropic',
    () => createAnthropicReader(frame),
    anthropicShape(jsonOf(anthropicKeys, anthropicWords)),
  ],
  ['gemini', () => createGeminiReader(frame), geminiShape(jsonOf(geminiKeys, ['STOP', 'SAFETY']))],
]

/** What is wrong with how a reader reads these events; whether it read them to the end. */
function judge(reader: WireReader, events: readonly unknown[]) {
  const chunks: ChatChunk[] = []
  const wrong: string[] = []
  let toTheEnd = false
  try {
    for (const one of events) {
      reader.read({ name: undefined, data: JSON.stringify(one) }, (chunk) => chunks.push(chunk))
    }
    const end = reader.end()
    toTheEnd = true
    for (const count of Object.values(end?.usage ?? {})) {
      if (typeof count === 'number' && !(Number.isSafeInteger(count) && count >= 0))
        wrong.push(`a count of ${count}`)
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
  }
  const counter = createDeliveredCounter(1000)
  for (const chunk of chunks) {
    counter.add(chunk)
    if (!isDeepStrictEqual(chatChunkSchema.parse(chunk), chunk))
      wrong.push('not what its schema says')
    if (chunk.choices.some(({ finish_reason: reason }) => reason !== null)) wrong.push('a reason')
  }
  if (counter.delivered.chunks !== chunks.length) wrong.push('a chunk that is not counted')
  return { wrong, toTheEnd }
}

/** Four rows share one reader, and have twice as many runs of it. */
const runsOf = (name: string) =>
  ['anthropic', 'gemini'].includes(name)
    ? proofSize({ quick: 400, all: 2_000 })
    : proofSize({ quick: 200, all: 1_000 })

test.each(rows)('%s: any input is read or throws an UpstreamError', (name, open, event) => {
  let readToTheEnd = 0
  // Not `expect`, which would take as long as the reading.
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const { wrong, toTheEnd } = judge(open(), events)
      if (wrong.length > 0) throw new Error(wrong.join(', '))
      if (toTheEnd) readToTheEnd += 1
    }),
    { numRuns: runsOf(name) },
  )
  expect(readToTheEnd).toBeGreaterThan(0)
})

test.each(rows)('%s: text that is not JSON is an UpstreamError', (_, open) => {
  for (const data of ['{', 'null', '[]', '1', 'oops', '"text"']) {
    const read = (): unknown => open().read({ name: undefined, data }, () => undefined)
    expect(read).toThrow(UpstreamError)
  }
})
