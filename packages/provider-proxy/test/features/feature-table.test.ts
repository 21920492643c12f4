import { type ChatRequest, chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  anthropicLimits,
  type ChatProvider,
  collectCompletion,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  geminiLimits,
  type ReasoningDisplay,
  type RequestLimits,
  unsupportedField,
} from '../../src/index.ts'
import { readRecordings } from '../recordings/recording.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import {
  chunk,
  event,
  openEvents,
  type Responder,
  startProviderServer,
} from '../support/provider-server.ts'
import { shippedProfiles } from '../support/shipped-profiles.ts'
import { allFeatures, type Features, featurePage, recorded } from './feature-table.ts'

const open = closingAfterEach()
const features = allFeatures()

test('PROVIDERS.md is the table', async () => {
  await expect(featurePage(features)).toMatchFileSnapshot('../../PROVIDERS.md')
})

const profiles = new Map(shippedProfiles().map((profile) => [profile.name, profile]))

function limitsOf(name: string): RequestLimits {
  if (name === 'anthropic') return anthropicLimits
  return profiles.get(name) ?? geminiLimits
}

function requestWith(fields: object): ChatRequest {
  return chatRequestSchema.parse({ messages: [{ role: 'user', content: 'hi' }], ...fields })
}

const tool = { type: 'function', function: { name: 'now', parameters: { type: 'object' } } }
const schema = { type: 'object', properties: { city: { type: 'string' } } }
const structured = {
  response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
}
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const call = { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }
const shown = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', tool_calls: [call] },
  {
    role: 'tool',
    tool_call_id: 'a',
    content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
  },
]
const picture = {
  messages: [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }],
    },
  ],
}

test.each(features)('$provider accepts and rejects requests as its row says', (row) => {
  const rejects = (fields: object): boolean =>
    unsupportedField(limitsOf(row.provider), requestWith(fields)) !== null
  expect(rejects({ tools: [tool] })).toBe(row.tools === 'no')
  const alone = { tools: [tool], parallel_tool_calls: false }
  expect(rejects(alone)).toBe(row.parallelTools !== 'yes')
  expect(rejects(structured)).toBe(row.structured === 'no' || row.structured === 'JSON mode')
  expect(rejects(picture)).toBe(row.images === 'data')
  expect(rejects({ messages: shown })).toBe(row.toolImages !== 'yes')
  const taken = efforts.filter((reasoning_effort) => !rejects({ reasoning_effort }))
  // `none` asks for nothing where no effort is known.
  const asked = row.efforts === 'no' ? 'none' : row.efforts
  expect(taken.join(', ')).toBe(asked)
})

const recordings = readRecordings()

test.skipIf(recordings.length === 0)('the recorded responses of each provider are counted', () => {
  const counts = new Map<string, number>()
  for (const { vendor, wire } of recordings) {
    const name = rowOf(vendor, wire)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  expect(Object.fromEntries(counts)).toEqual(recorded)
})

/** The row of a recorded provider, if it has one. */
function rowOf(vendor: string, wire: string): string | undefined {
  if (wire === 'anthropic') return 'anthropic'
  if (wire === 'gemini') return 'gemini, vertex'
  const name = vendor === 'bedrock-mantle' ? 'bedrock' : vendor
  return profiles.has(name) ? name : undefined
}

test.each(features)('$provider is sent what its row says', async (row) => {
  const { provider, received } = await connect(row, (response) => {
    openEvents(response)
    response.end(answerOf(row.provider))
  })
  const wanted = row.tools === 'yes' ? { tools: [tool] } : {}
  const shaped = row.structured.startsWith('JSON schema') ? structured : {}
  const call = chatCall('hi', { request: { ...wanted, ...shaped } })
  const stream = await provider.open(call)
  expect(stream.onClientGone).toBe(row.cancel === 'keeps billing' ? 'drain' : 'abort')
  expect(displayOf(provider)).toBe(row.reasoning === 'shown' ? 'shown' : 'hidden')
  const { usage } = await collectCompletion(stream)
  expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 20, cacheReadTokens: 40 })
  expect(usage?.reportedCost !== undefined).toBe(row.usage.includes('cost'))
  const body = JSON.stringify(received.at(-1)?.body)
  expect(body.includes('"now"')).toBe(row.tools === 'yes')
  expect(body.includes('city')).toBe(row.structured.startsWith('JSON schema'))
  expect(body.includes('"json_object"')).toBe(row.structured === 'JSON schema as text')
})

function displayOf({ reasoning }: ChatProvider): ReasoningDisplay | undefined {
  const request = requestWith({ reasoning_effort: 'high' })
  return typeof reasoning === 'function'
    ? reasoning({ request, upstreamModel: 'claude-opus-5' })
    : reasoning
}

async function connect({ provider: name }: Features, respond: Responder) {
  const server = await startProviderServer(respond)
  const profile = profiles.get(name)
  const options = { apiKey: 'k', baseUrl: server.url }
  const native = name === 'anthropic' ? createAnthropicProvider : createGeminiProvider
  const provider =
    profile === undefined
      ? native(options)
      : createOpenAiCompatibleProvider({ profile, ...options })
  open.push(server, { stop: () => provider.close() })
  return { provider, received: server.received }
}

/** A response with 100 tokens of input, 40 of them cached, and 20 of output. */
function answerOf(name: string): string {
  if (name === 'anthropic') {
    const usage = { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 1 }
    return [
      event({ type: 'message_start', message: { id: 'm', model: 'm', usage } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } }),
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 20 },
      }),
      event({ type: 'message_stop' }),
    ].join('')
  }
  if (!profiles.has(name)) {
    return event({
      candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 15,
        thoughtsTokenCount: 5,
      },
    })
  }
  const isItemized = profiles.get(name)?.usage.cost === 'itemized'
  const outside = profiles.get(name)?.usage.reasoning === 'outside'
  const usage = {
    prompt_tokens: 100,
    completion_tokens: outside ? 15 : 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
    cost: isItemized ? { total_cost: 0.01, request_cost: 0.005 } : 0.01,
  }
  return `${chunk({ content: 'hi' })}${chunk({}, { finish: 'stop', usage })}data: [DONE]\n\n`
}
