import { type ChatRequest, chatRequestSchema, openApiDocument } from '@farebox/api'
import { countChatTokens, createCounter } from '@farebox/tokenizer'
import { expect, test } from 'vitest'
import { requestBody as anthropicBody } from '../../src/anthropic/request-body.ts'
import { thoughtBinding } from '../../src/anthropic/thinking.ts'
import { requestBody as geminiBody } from '../../src/gemini/request-body.ts'
import { requestBody as openAiBody } from '../../src/openai/request-body.ts'
import { isRecord } from '../../src/wire/json-reading.ts'
import { chatCall } from '../support/call.ts'
import { shippedProfiles } from '../support/shipped-profiles.ts'
import { markedSamples } from './marked-sample.ts'

/** Strings that go upstream but are not part of the prompt, by their path in the schema. */
const outsidePrompt: ReadonlySet<string> = new Set([
  '.stop',
  '.stop[]',
  // Counted as an image, whatever its length.
  '.messages[].content[].image_url.url',
  // Must name one of `tools`, which is counted.
  '.tool_choice.function.name',
])

/** A little longer than the longest id that is left out of a bound. */
const billedIdLength = 65

const profiles = shippedProfiles()

const { values, markers } = markedSamples(requestSchema())
const requests = values.map((value) => {
  const parsed = chatRequestSchema.safeParse(withMatchingNames(value))
  if (!parsed.success) throw parsed.error
  return parsed.data
})

test('the samples hold a marker in every string of a request', () => {
  expect(markers.size).toBeGreaterThan(50)
  expect([...markers.values()]).toEqual(
    expect.arrayContaining([
      '.messages[].refusal',
      '.messages[].reasoning',
      '.messages[].reasoning_details[].signature',
      '.messages[].tool_calls[].function.arguments',
    ]),
  )
})

test('every string that a provider is sent is in the count', () => {
  const counted = requests.flatMap(countedTexts).join('\n')
  const sent = requests.flatMap(upstreamBodies).join('\n')
  const uncounted = [...markers].filter(
    ([marker, path]) =>
      sent.includes(marker) && !counted.includes(marker) && !outsidePrompt.has(path),
  )
  expect(uncounted).toEqual([])
})

function countedTexts(request: ChatRequest): readonly string[] {
  const { messages, tools, response_format: responseFormat } = request
  const texts: string[] = []
  const countTokens = (text: string): number => texts.push(text)
  const counter = createCounter('openai-o200k', { encoding: 'o200k_base', countTokens })
  countChatTokens(messages, counter, { tools, responseFormat })
  return texts
}

function upstreamBodies(request: ChatRequest): readonly string[] {
  const call = { ...chatCall('hello'), request }
  return [
    anthropicBody(call, thoughtBinding(call)),
    geminiBody(call),
    ...profiles.map((profile) => openAiBody(call, profile)),
  ]
}

/** The schema that the OpenAPI document publishes for a request. */
function requestSchema(): Readonly<Record<string, unknown>> {
  const document = openApiDocument({ serverUrl: 'http://a.test', version: '0', endpoints: 'free' })
  const path = ['paths', '/v1/estimate', 'post', 'requestBody', 'content', 'application/json']
  const schema = [...path, 'schema'].reduce<unknown>(
    (value, key) => (isRecord(value) ? value[key] : undefined),
    document,
  )
  if (!isRecord(schema)) throw new Error('the document has no schema of a chat request')
  return schema
}

/**
 * A result must belong to an earlier call: the sample's results name the sample's first call. Ids are
 * longer than those that no provider bills, which the bound leaves out (`unbilledId`).
 */
function withMatchingNames(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value['messages'])) return value
  const messages: readonly unknown[] = value['messages']
  const calls = messages.flatMap(callsOf)
  return {
    ...value,
    tool_choice: choiceOf(value),
    messages: messages.map((message) => {
      if (!isRecord(message)) return message
      if (message['role'] === 'tool') return { ...message, tool_call_id: calls[0]?.id }
      const own = callsOf(message)
      return own.length > 0 ? { ...message, tool_calls: own } : message
    }),
  }
}

/** A choice among allowed tools allows all of them. */
function choiceOf({ tools, tool_choice: choice }: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(choice) || !isRecord(choice['allowed_tools']) || !Array.isArray(tools))
    return choice
  const allowed = tools.filter(isRecord).map(({ type, function: tool }) => ({
    type,
    function: { name: isRecord(tool) ? tool['name'] : undefined },
  }))
  return { ...choice, allowed_tools: { ...choice['allowed_tools'], tools: allowed } }
}

function callsOf(message: unknown): readonly { readonly id: string }[] {
  const calls: unknown = isRecord(message) ? message['tool_calls'] : []
  if (!Array.isArray(calls)) return []
  return calls
    .filter(isRecord)
    .map((call) => ({ ...call, id: String(call['id']).padEnd(billedIdLength, '-') }))
}
