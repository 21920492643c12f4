import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  alibabaProfile,
  anthropicLimits,
  deepSeekProfile,
  geminiLimits,
  groqProfile,
  mistralProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
  type ProviderProfile,
  type RequestLimits,
  unsupportedField,
} from '../../src/index.ts'
import { openAiWire } from '../../src/openai/openai-wire.ts'
import { chatCall } from '../support/call.ts'

const named = { type: 'function', function: { name: 'look' } }
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
const schema = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }

function unsupported(limits: RequestLimits, upstreamModel: string, request: object): string | null {
  const messages = [{ role: 'user', content: 'hi' }]
  return unsupportedField(limits, chatRequestSchema.parse({ messages, ...request }), upstreamModel)
}

function sent(profile: ProviderProfile, upstreamModel: string, request: object): object {
  const call = chatCall('hi', { upstreamModel, request })
  return JSON.parse(openAiWire(profile, {}).request(call).body)
}

test.each([
  [deepSeekProfile, 'deepseek-v4-pro', { thinking: { type: 'disabled' } }],
  [moonshotProfile, 'kimi-k2.6', { thinking: { type: 'disabled' } }],
  [alibabaProfile, 'qwen3.5-plus', { enable_thinking: false }],
])('$1 does not think where a tool is forced, and only there', (profile, model, off) => {
  for (const tool_choice of ['required', named]) {
    expect(unsupported(profile, model, { tools, tool_choice })).toBeNull()
    expect(sent(profile, model, { tools, tool_choice })).toMatchObject({ tool_choice, ...off })
  }
  const [key = ''] = Object.keys(off)
  expect(sent(profile, model, { tools, tool_choice: 'auto' })).not.toHaveProperty(key)
  expect(sent(profile, model, { tools, tool_choice: 'none' })).not.toHaveProperty(key)
})

test('with an effort, DeepSeek is not forced to call a tool', () => {
  const forced = { tools, tool_choice: 'required', reasoning_effort: 'high' }
  expect(unsupported(deepSeekProfile, 'deepseek-flash', forced)).toBe('tool_choice')
  const none = { ...forced, reasoning_effort: 'none' }
  expect(unsupported(deepSeekProfile, 'deepseek-flash', none)).toBeNull()
  expect(sent(deepSeekProfile, 'deepseek-flash', none)).not.toHaveProperty('reasoning_effort')
})

test.each([
  ['kimi-k2.7-code', 'required', 'tool_choice'],
  ['kimi-k2.7-code', 'auto', null],
  ['kimi-k3', named, 'tool_choice'],
  ['kimi-k3', 'required', null],
])('%s and the tool choice %j', (model, tool_choice, expected) => {
  expect(unsupported(moonshotProfile, model, { tools, tool_choice })).toBe(expected)
})

test.each<[RequestLimits, string, string | null]>([
  [geminiLimits, 'gemini-2.5-flash', 'response_format'],
  [geminiLimits, 'gemini-3.8-flash', null],
  [groqProfile, 'openai/gpt-oss-120b', 'response_format'],
  [mistralProfile, 'mistral-large', null],
])('a response format together with tools: $1', (limits, model, expected) => {
  const messages = [{ role: 'user', content: 'Answer in JSON.' }]
  for (const response_format of [schema, { type: 'json_object' }]) {
    expect(unsupported(limits, model, { messages, tools, response_format })).toBe(expected)
    expect(unsupported(limits, model, { messages, response_format })).toBeNull()
  }
  expect(unsupported(limits, model, { tools, response_format: { type: 'text' } })).toBeNull()
})

test('Groq follows a JSON schema only with gpt-oss, and no format in a stream', () => {
  const request = { response_format: schema }
  expect(unsupported(groqProfile, 'openai/gpt-oss-20b', request)).toBeNull()
  expect(unsupported(groqProfile, 'llama-3.3-70b-versatile', request)).toBe('response_format')
  const body = sent(groqProfile, 'openai/gpt-oss-20b', request)
  expect(body).toMatchObject({ stream: false, response_format: schema })
  expect(body).not.toHaveProperty('stream_options')
  const text = { response_format: { type: 'text' } }
  expect(sent(groqProfile, 'openai/gpt-oss-20b', text)).toMatchObject({ stream: true })
  expect(sent(mistralProfile, 'mistral-large', request)).toMatchObject({ stream: true })
})

test.each([mistralProfile, openAiProfile, openRouterProfile])(
  '$name gets the parameters of a function that has none',
  (profile) => {
    const bare = [{ type: 'function', function: { name: 'look', parameters: null } }]
    expect(sent(profile, 'm', { tools: bare })).toMatchObject({
      tools: [{ function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
    })
    expect(sent(profile, 'm', { tools: [] })).not.toHaveProperty('tools')
  },
)

test('DeepSeek does not enforce strict tools', () => {
  const strict = [{ type: 'function', function: { name: 'look', strict: true } }]
  expect(unsupported(deepSeekProfile, 'deepseek-flash', { tools: strict })).toBe(
    'tools[0].function.strict',
  )
  expect(unsupported(deepSeekProfile, 'deepseek-flash', { tools })).toBeNull()
})

test.each<[string, RequestLimits, number]>([
  ['anthropic', anthropicLimits, 64],
  ['deepseek', deepSeekProfile, 16],
  ['gemini', geminiLimits, 5],
  ['openai', openAiProfile, 4],
])('%s takes $2 stop sequences', (_, limits, most) => {
  const stop = Array.from({ length: most }, (__, index) => `end ${index}`)
  expect(unsupported(limits, 'model', { stop })).toBeNull()
  if (most < 64) expect(unsupported(limits, 'model', { stop: [...stop, 'end'] })).toBe('stop')
})

test.each<[string, RequestLimits, string, string | null]>([
  ['openai', openAiProfile, 'gpt-5.5', 'messages'],
  ['groq', groqProfile, 'openai/gpt-oss-120b', 'messages'],
  ['deepseek', deepSeekProfile, 'deepseek-flash', 'messages'],
  ['openrouter', openRouterProfile, 'openai/gpt-5.5', 'messages'],
  ['openrouter', openRouterProfile, 'openai/gpt-oss-120b', null],
  ['mistral', mistralProfile, 'mistral-large', null],
])('%s: JSON mode of $2 without the word JSON in a message', (_, limits, model, expected) => {
  const response_format = { type: 'json_object' }
  expect(unsupported(limits, model, { response_format })).toBe(expected)
  const parts = [{ type: 'text', text: 'As json, please.' }]
  const messages = [
    { role: 'system', content: parts },
    { role: 'user', content: 'hi' },
  ]
  expect(unsupported(limits, model, { messages, response_format })).toBeNull()
  expect(unsupported(limits, model, { response_format: schema })).toBeNull()
})

test('Mistral gets instructions as the user where it rejects them', () => {
  const calls = [{ id: 'abcdefghi', type: 'function', function: { name: 'look', arguments: '{}' } }]
  const system = { role: 'system', content: 'Be brief.' }
  const messages = [
    system,
    { role: 'user', content: 'Hi.' },
    { role: 'developer', content: 'Be polite.' },
    { role: 'user', content: 'Look!' },
    { role: 'assistant', tool_calls: calls },
    { role: 'tool', tool_call_id: 'abcdefghi', content: 'seen' },
    system,
    { role: 'assistant', content: 'So.' },
    system,
    { role: 'user', content: 'And?' },
    system,
  ]
  const roles = (given: readonly object[]) =>
    Object(sent(mistralProfile, 'mistral-large', { messages: given })).messages.map(
      ({ role }: { role: string }) => role,
    )
  expect(roles(messages).join(' ')).toBe(
    'system user system user assistant tool assistant user assistant user user user',
  )
  expect(roles([system])).toEqual(['user'])
})

test('Mistral gets an answer between a result and the user, and a mark on a beginning', () => {
  const calls = [{ id: 'abcdefghi', type: 'function', function: { name: 'look', arguments: '{}' } }]
  const messages = [
    { role: 'user', content: 'Look!' },
    { role: 'assistant', tool_calls: calls },
    { role: 'tool', tool_call_id: 'abcdefghi', content: 'seen' },
    { role: 'user', content: 'And?' },
    { role: 'assistant', content: 'So' },
  ]
  const roles = ({ messages: sentMessages }: { messages?: readonly { role: string }[] }) =>
    sentMessages?.map(({ role }) => role).join(' ')
  const body = sent(mistralProfile, 'mistral-large', { messages })
  expect(roles(body)).toBe('user assistant tool assistant user assistant')
  expect(body).toMatchObject({ messages: { 3: { content: 'OK.' }, 5: { prefix: true } } })
  const other = sent(openAiProfile, 'gpt-5.5', { messages })
  expect(roles(other)).toBe('user assistant tool user assistant')
  expect(
    JSON.stringify([other, sent(mistralProfile, 'm', { messages: messages.slice(0, 4) })]),
  ).not.toContain('prefix')
})
