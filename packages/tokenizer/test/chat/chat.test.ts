import { get_encoding } from 'tiktoken'
import { expect, test } from 'vitest'
import type { ChatMessage } from '../../src/chat/chat-message.ts'
import { countChatTokens } from '../../src/chat/count-chat-tokens.ts'
import { tokenizer as cl100k } from '../../src/cl100k-base.ts'
import { CounterVocabularyError, createCounter, encodingsOf } from '../../src/counter/counter.ts'
import { tokenizer as o200k } from '../../src/o200k-base.ts'
import { tokenizer as o200kHarmony } from '../../src/o200k-harmony.ts'

const gpt4 = createCounter('openai-cl100k', cl100k)

/** OpenAI's published rule, on tiktoken: 3 per message, its fields, 1 for a name, 3 for the reply. */
function publishedRule(messages: readonly ChatMessage[]): number {
  const encoding = get_encoding('cl100k_base')
  let tokens = 3
  for (const { role, content, name } of messages) {
    tokens += 3 + encoding.encode_ordinary(role).length
    tokens += encoding.encode_ordinary(typeof content === 'string' ? content : '').length
    if (name !== undefined) tokens += 1 + encoding.encode_ordinary(name).length
  }
  encoding.free()
  return tokens
}

const plain: readonly ChatMessage[] = [
  { role: 'system', content: 'You turn phrases into plain words.' },
  { role: 'system', name: 'example_user', content: 'New synergies will drive top-line growth.' },
  { role: 'system', name: 'example_assistant', content: 'Working together will make more money.' },
  { role: 'user', content: 'We <|endoftext|> circle back, 的 and \ud800 alike.' },
]

test('plain OpenAI chats are exact by the published rule', () => {
  const tokens = publishedRule(plain)
  expect(countChatTokens(plain, gpt4)).toEqual({ tokens, method: 'exact', upperBound: tokens })
})

test('the count of a chat is the sum of its messages', () => {
  const alone = plain.map((message) => countChatTokens([message], gpt4).tokens - 3)
  const sum = alone.reduce((total, tokens) => total + tokens, 3)
  expect(countChatTokens(plain, gpt4).tokens).toBe(sum)
})

test.each(['constructor', '__proto__'])(
  'a message of the role %s counts as one of another',
  (role) => {
    const gptOss = createCounter('gpt-oss', o200kHarmony)
    const other = countChatTokens([{ role: 'critic', content: 'Hello' }], gptOss)
    expect(countChatTokens([{ role, content: 'Hello' }], gptOss)).toEqual(other)
  },
)

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather at a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
  },
}

const fitted: readonly (readonly [string, readonly ChatMessage[], object])[] = [
  ['tools', plain, { tools: [weather] }],
  ['a format', plain, { responseFormat: { type: 'json_object' } }],
  [
    'a tool call',
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', function: { name: 'weather', arguments: '{}' } }],
      },
    ],
    {},
  ],
  ['a tool result', [{ role: 'tool', tool_call_id: 'a', content: 'sunny' }], {}],
  [
    'parts',
    [{ role: 'user', content: [{ type: 'text', text: 'what is this?' }, { type: 'image_url' }] }],
    {},
  ],
]

test.each(fitted)('%s: the count is an estimate and not free', (_, messages, extras) => {
  const counted = countChatTokens(messages, gpt4, extras)
  expect(counted.method).toBe('estimate')
  expect(counted.tokens).toBeGreaterThan(countChatTokens([], gpt4).tokens + 4)
  expect(counted.upperBound).toBeGreaterThanOrEqual(counted.tokens)
})

/** A call and its result, with an id of this length. */
function exchange(idLength: number): readonly ChatMessage[] {
  const id = 'x'.repeat(idLength)
  const call = { id, function: { name: 'weather', arguments: '{}' } }
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: 'sunny' },
  ]
}

test.each([createCounter('openai-o200k', o200k), createCounter('claude', o200k)])(
  '$name: ids of calls cost nothing up to 64 characters, longer ones are in the bound',
  (own) => {
    const short = countChatTokens(exchange(1), own)
    expect(countChatTokens(exchange(64), own)).toEqual(short)
    const long = countChatTokens(exchange(4_000), own)
    expect(long.tokens).toBe(short.tokens)
    expect(long.upperBound).toBeGreaterThan(short.upperBound + 400)
  },
)

test('a text format and an empty list of tools add no tokens', () => {
  const extras = { tools: [], responseFormat: { type: 'text' } }
  expect(countChatTokens(plain, gpt4, extras)).toEqual(countChatTokens(plain, gpt4))
})

test("fields that are null in OpenAI's answers, and a format of null, add no tokens", () => {
  const answer: ChatMessage = { role: 'assistant', content: 'Paris' }
  const none = { refusal: null, reasoning: null, reasoning_content: null, reasoning_details: null }
  const calls = { tool_calls: null, function_call: null }
  const counted = countChatTokens([{ ...answer, ...none, ...calls }], gpt4, {
    responseFormat: null,
  })
  expect(counted).toEqual(countChatTokens([answer], gpt4))
  expect(counted.method).toBe('exact')
})

test('what the model thought before is counted, whichever field has it', () => {
  const thought = 'The user asks for the capital of France, which is Paris.'
  const answer: ChatMessage = { role: 'assistant', content: 'Paris' }
  const more = gpt4.countText(thought).tokens
  const before = countChatTokens([answer], gpt4).tokens
  for (const own of [
    { reasoning: thought },
    { reasoning_content: thought },
    { reasoning_details: [{ text: thought, index: 0 }] },
  ]) {
    expect(countChatTokens([{ ...answer, ...own }], gpt4).tokens).toBe(before + more)
  }
})

test('the bound of arguments has room for a template that escapes what is not ASCII', () => {
  const call = (city: string): readonly ChatMessage[] => [
    { role: 'assistant', tool_calls: [{ function: { name: 'weather', arguments: city } }] },
  ]
  const generic = createCounter('generic', o200k)
  const boundOf = (city: string): number => countChatTokens(call(city), generic).upperBound
  expect(boundOf('京'.repeat(100)) - boundOf('')).toBeGreaterThanOrEqual(600 + 300)
})

test("letters that only the base vocabulary shortens are in Claude's bound", () => {
  const letters = 'a'.repeat(4_096)
  expect(createCounter('claude', o200k).countText(letters).upperBound).toBeGreaterThan(4_096 / 4)
})

test('an estimate grows with its factors, its bound with the estimate, and both stay within the bytes', () => {
  const text = 'Some ordinary prose, of 2026, with a few words.'
  const few = createCounter('claude', o200k).countText(text)
  const more = createCounter('claude-4.7', o200k).countText(text)
  expect(more.tokens).toBeGreaterThan(few.tokens)
  expect(few.upperBound).toBeGreaterThanOrEqual(few.tokens * 1.5)
  expect(few.upperBound).toBeLessThan(few.tokens * 2)
  expect(more.upperBound).toBeGreaterThan(few.upperBound)
  const all = { latin: 99, digit: 99, symbol: 99, cjk: 99, other: 99 }
  expect(createCounter('claude', o200k, all).countText(text)).toMatchObject({
    tokens: text.length,
    upperBound: text.length,
  })
})

test('a counter accepts only its own vocabularies', () => {
  expect(encodingsOf('llama3')).toEqual(['llama3', 'cl100k_base'])
  expect(() => createCounter('openai-o200k', cl100k)).toThrow(CounterVocabularyError)
})

test.each([
  ['messages', 'hi', 'messages must be an array, and is of type string'],
  ['no messages', undefined, 'messages must be an array, and is of type undefined'],
  ['a number', [{ role: 'user', content: 5 }], 'content must be text or an array of parts'],
  ['a part', [{ role: 'user', content: [{ text: 5 }] }], 'text must be a string'],
])('%s of a wrong type throw a TypeError', (_, messages, message) => {
  const counter = createCounter('openai-o200k', o200k)
  const count = (): unknown => Reflect.apply(countChatTokens, null, [messages, counter])
  expect(count).toThrow(TypeError)
  expect(count).toThrow(message)
})

test('a counter that does not exist throws a TypeError', () => {
  const create = (): unknown => Reflect.apply(createCounter, null, ['toString', o200k])
  expect(create).toThrow('toString is not a counter: use one of counterNames')
})
