import { type ChatChunk, chatChunkSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  type ConnectedChatProvider,
  collectCompletion,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  deepSeekProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
  relayEventStream,
} from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { memorySink } from '../support/memory-sink.ts'
import { chunk, event, openEvents, startProviderServer } from '../support/provider-server.ts'

type Details = readonly object[] | undefined
type Given = {
  readonly collected: Details
  readonly pieces: Details
  readonly ids: readonly string[]
}

/** The reasoning details of a response, in a completion and in the chunks of a stream. */
async function given(
  create: (baseUrl: string) => ConnectedChatProvider,
  text: string,
): Promise<Given> {
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.end(text)
  })
  const provider = create(server.url)
  const sink = memorySink()
  await relayEventStream(await provider.open(chatCall('hi')), sink)
  const outcome = await collectCompletion(await provider.open(chatCall('hi')))
  await provider.close()
  await server.stop()
  const message = outcome.completion(null).choices[0]?.message
  return {
    collected: message?.reasoning_details,
    pieces: chunksOf(sink.texts.join('')).flatMap(
      ({ choices }) => choices[0]?.delta.reasoning_details ?? [],
    ),
    ids: (message?.tool_calls ?? []).map(({ id }) => id),
  }
}

function chunksOf(text: string): readonly ChatChunk[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) =>
    chatChunkSchema.parse(JSON.parse(json)),
  )
}

const messageEvents = [
  { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Let me ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'see.' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: 'signed' },
  },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'redacted_thinking', data: 'sealed' },
  },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'signature_delta', signature: 'alone' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'content_block_start', index: 3, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'ok' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]

test('Anthropic’s thoughts carry their signatures, hidden and encrypted ones too', async () => {
  const text = messageEvents.map((one) => event(one, one.type)).join('')
  const create = (baseUrl: string) => createAnthropicProvider({ apiKey: 'key', baseUrl })
  const { collected, pieces } = await given(create, text)
  const thought = { type: 'reasoning.text', format: 'anthropic-claude-v1' }
  const sealed = { type: 'reasoning.encrypted', format: 'anthropic-claude-v1', data: 'sealed' }
  expect(collected).toEqual([
    { ...thought, index: 0, text: 'Let me see.', signature: 'signed' },
    { ...sealed, index: 1 },
    { ...thought, index: 2, signature: 'alone' },
  ])
  expect(pieces).toEqual([
    { ...thought, index: 0, text: 'Let me ' },
    { ...thought, index: 0, text: 'see.' },
    { ...thought, index: 0, signature: 'signed' },
    { ...sealed, index: 1 },
    { ...thought, index: 2, signature: 'alone' },
  ])
})

test('Gemini’s signatures name the call that they belong to', async () => {
  const parts = [
    { text: 'Looking.', thoughtSignature: 'of-text' },
    { functionCall: { name: 'f', args: {} }, thoughtSignature: 'of-f' },
    { functionCall: { name: 'g', args: {}, id: 'google-1' } },
  ]
  const last = [{ functionCall: { name: 'h' }, thoughtSignature: 'of-h' }]
  const text =
    event({ candidates: [{ content: { parts } }] }) +
    event({ candidates: [{ content: { parts: last }, finishReason: 'STOP' }] })
  const create = (baseUrl: string) => createGeminiProvider({ apiKey: 'key', baseUrl })
  const { collected, pieces, ids } = await given(create, text)
  const signature = { type: 'reasoning.encrypted', format: 'google-gemini-v1' }
  expect(collected).toEqual([
    { ...signature, index: 0, data: 'of-text' },
    { ...signature, index: 1, data: 'of-f', id: ids[0] },
    { ...signature, index: 2, data: 'of-h', id: ids[2] },
  ])
  expect(pieces).toMatchObject([{ data: 'of-text' }, { data: 'of-f' }, { data: 'of-h' }])
})

test('OpenRouter’s details are passed on whole, without other fields', async () => {
  const details = [
    { type: 'reasoning.summary', format: 'openai-responses-v1', index: 0, summary: 'Seen.' },
    { type: 'reasoning.encrypted', format: 'openai-responses-v1', id: 'rs_1', index: 0, data: 'a' },
    { type: 'reasoning.encrypted', format: 'openai-responses-v1', id: 'rs_2', index: 0, data: 'b' },
    { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 1, text: 'T', signature: 's' },
  ]
  const sent = details.map((detail) => ({ ...detail, host: 'Hidden', signature: null, ...detail }))
  const text =
    sent.map((detail) => chunk({ reasoning_details: [detail] })).join('') +
    chunk({ content: 'ok' }, { finish: 'stop' })
  const create = (baseUrl: string) =>
    createOpenAiCompatibleProvider({ profile: openRouterProfile, baseUrl })
  const { collected, pieces } = await given(create, text)
  expect(collected).toEqual(details)
  expect(pieces).toEqual(details)
})

test.each([
  [
    deepSeekProfile,
    [{ type: 'reasoning.text', format: 'deepseek-v1', index: 0, text: 'Let me see.' }],
  ],
  [
    moonshotProfile,
    [{ type: 'reasoning.text', format: 'moonshot-v1', index: 0, text: 'Let me see.' }],
  ],
  [openAiProfile, undefined],
])(
  'the reasoning of $name becomes a detail where the next turn needs it',
  async (profile, expected) => {
    const text =
      chunk({ reasoning_content: 'Let me ' }) +
      chunk({ reasoning_content: 'see.' }) +
      chunk({ content: 'ok' }, { finish: 'stop' })
    const create = (baseUrl: string) => createOpenAiCompatibleProvider({ profile, baseUrl })
    const { collected, pieces } = await given(create, text)
    expect(collected).toEqual(expected)
    expect(pieces).toHaveLength(expected === undefined ? 0 : 2)
  },
)
