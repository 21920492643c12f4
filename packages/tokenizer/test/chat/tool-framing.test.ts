import { expect, test } from 'vitest'
import type { ChatMessage } from '../../src/chat/chat-message.ts'
import { countChatTokens } from '../../src/chat/count-chat-tokens.ts'
import { renderDeclarations } from '../../src/chat/render-declarations.ts'
import { renderTools } from '../../src/chat/render-tools.ts'
import { createCounter } from '../../src/counter/counter.ts'
import type { CounterName } from '../../src/counter/counter-name.ts'
import type { TokenCount } from '../../src/counter/token-count.ts'
import { tokenizer as deepseek } from '../../src/deepseek.ts'
import { tokenizer as o200k } from '../../src/o200k-base.ts'

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather at a place',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        place: { type: 'string', description: 'A city' },
        unit: { enum: ['C', 'F'] },
        days: { type: 'array', items: { type: 'integer' } },
        from: { anyOf: [{ type: 'string' }, { type: 'null' }], default: 'today' },
        at: { $ref: '#/$defs/Point' },
      },
      required: ['place', 'at'],
      additionalProperties: false,
      $defs: {
        Point: { type: 'object', properties: { x: { type: ['number', 'null'] } }, required: [] },
      },
    },
  },
}

const declared = `namespace functions {

// The weather at a place
type Point = {
x?: number | null,
};
type weather = (_: {
// A city
place: string,
unit?: "C" | "F",
days?: number[],
from?: string | null,
at: Point,
}) => any;

type ping = () => any;

} // namespace functions`

const ping = { type: 'function', function: { name: 'ping' } }

test('tools are written as TypeScript declarations', () => {
  const { text, properties } = renderDeclarations([weather, ping])
  expect(text).toBe(declared)
  expect(properties).toBe(6)
})

test('what declarations leave out is kept for the upper bound, as often as it is left out', () => {
  const { rest } = renderDeclarations([weather, ping])
  expect(rest.split('\n')).toContain('today')
  const hidden = { ...ping, note: 'ping ping', examples: ['ping', 'ping'] }
  const left = renderDeclarations([hidden]).rest.split('\n')
  expect(left.filter((line) => line === 'ping')).toHaveLength(2)
  expect(left).toContain('ping ping')
})

test('JSON is written as sent, with the texts of the caller apart', () => {
  const { text, rest, properties } = renderTools([ping], 'json')
  expect(text).toBe(JSON.stringify([ping]))
  expect([rest, properties]).toEqual(['ping', 0])
})

const rain = {
  type: 'function',
  function: {
    name: 'rain',
    description: 'Is it wet?',
    parameters: {
      type: 'object',
      properties: { place: { type: 'string', enum: ['Rome'] } },
      required: ['place'],
    },
  },
}

test('values are names, descriptions, types, and the keys and choices of properties', () => {
  const { text, rest } = renderTools([rain], 'values')
  expect(text.split(' ').sort()).toEqual(
    'Is Rome it object place place rain string wet?'.split(' '),
  )
  expect(rest).toBe('')
})

test('values hold the words of JSON Schema where a caller uses them as names or data', () => {
  const schema = { enum: ['string', 'type'], default: { name: 'title' } }
  const parameters = { properties: { type: schema, items: {} }, required: ['type'] }
  const { text } = renderTools([{ function: { name: 'name', parameters } }], 'values')
  expect(text.split(' ').sort()).toEqual('items name name string title type type type'.split(' '))
})

test('properties, items and further alternatives are schemas', () => {
  const tags = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }
  const parameters = { properties: { tags, place: { type: 'object', properties: {} } } }
  expect(renderTools([{ function: { name: 'a', parameters } }], 'json').schemas).toBe(4)
})

test.each([
  ['no object', [null, 5, 'tool', []]],
  ['a function of another shape', [{ function: { name: 5, parameters: [], description: {} } }]],
  ['odd schemas', [{ parameters: { properties: { a: null, b: { type: 7, enum: {} } } } }]],
  ['a schema nested deeply', [{ name: 'deep', parameters: nested(500) }]],
])('%s as a tool does not make a count throw', (_, tools) => {
  for (const writtenAs of ['declarations', 'json', 'values'] as const) {
    expect(renderTools(tools, writtenAs).text).not.toBe('')
  }
})

function nested(depth: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < depth; level += 1) {
    schema = { type: 'object', properties: { a: schema } }
  }
  return schema
}

const question: readonly ChatMessage[] = [{ role: 'user', content: 'Is it warm?' }]

function added(name: CounterName, extras: object): TokenCount {
  const counter = createCounter(name, name === 'deepseek' ? deepseek : o200k)
  const plain = countChatTokens(question, counter)
  const { tokens, method, upperBound } = countChatTokens(question, counter, extras)
  return { tokens: tokens - plain.tokens, method, upperBound: upperBound - plain.upperBound }
}

test('the tools of OpenAI cost their declarations and 8 tokens', () => {
  const { tokens, method } = added('openai-o200k', { tools: [ping] })
  expect(tokens).toBe(8 + o200k.countTokens(renderDeclarations([ping]).text))
  expect(method).toBe('estimate')
})

test.each([
  ['claude', 500],
  ['deepseek', 223],
  ['llama4', 640],
  ['openai-reasoning', 90],
] as const)('the tools of %s come with a text of its own', (name, request) => {
  expect(added(name, { tools: [ping] }).tokens).toBeGreaterThan(request)
})

test('the tools of Gemini 2.0 cost their values', () => {
  const counter = createCounter('gemini-2.0', o200k)
  const values = counter.countText(renderTools([rain], 'values').text)
  const { tokens, upperBound } = added('gemini-2.0', { tools: [rain] })
  expect(tokens).toBe(Math.round(values.tokens))
  expect(upperBound).toBe(values.upperBound)
})

test('the bound holds the texts of tools that an estimate may count too low', () => {
  const text = '\u{1f469}\u200d\u{1f680} zq'.repeat(500)
  const tools = [{ type: 'function', function: { name: 'a', description: text } }]
  for (const name of ['claude', 'gemini', 'grok', 'llama4'] as const) {
    expect(added(name, { tools }).upperBound).toBeGreaterThan(Buffer.byteLength(text))
  }
})

test('a bound covers JSON whose characters a template escapes', () => {
  const text = '的'.repeat(300)
  const tools = [{ type: 'function', function: { name: 'a', description: text } }]
  const escaped = JSON.stringify(tools).replaceAll('的', '\\u7684')
  expect(added('deepseek', { tools }).upperBound).toBeGreaterThan(deepseek.countTokens(escaped))
})

test("with Gemini's own vocabulary, whose texts have no margin, the bound adds more for tools", () => {
  const own = createCounter('gemini', { ...o200k, encoding: 'gemma3' })
  const counted = countChatTokens(question, own)
  const { upperBound } = countChatTokens(question, own, { tools: [ping] })
  // 8 for the tool, 1 for each of its 4 members, 1.1 for its name.
  expect(upperBound - counted.upperBound).toBe(14)
})

test('tools too large to render are counted as JSON', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`p${index}`, { type: 'string', title: 'a' }]),
  )
  const tools = [{ type: 'function', function: { name: 'a', parameters: { properties } } }]
  const json = o200k.countTokens(JSON.stringify(tools))
  expect(added('openai-o200k', { tools })).toMatchObject({
    tokens: json + 8,
    upperBound: Math.ceil(json * 1.5) + 20,
  })
})

test('a name that repeats the role is an estimate, a token below the published rule', () => {
  const counter = createCounter('openai-o200k', o200k)
  const named = (name: string): TokenCount =>
    countChatTokens([{ role: 'user', name, content: 'hi' }], counter)
  expect(named('critic')).toEqual({ tokens: 10, method: 'exact', upperBound: 10 })
  expect(named('user')).toEqual({ tokens: 9, method: 'estimate', upperBound: 10 })
})

test('a function call of the old form is counted, and no longer called exact', () => {
  const counter = createCounter('openai-o200k', o200k)
  const call = { name: 'weather', arguments: '{"place":"Paris"}' }
  const message = { role: 'assistant', content: null, function_call: call }
  const { tokens, method } = countChatTokens([message], counter)
  expect(method).toBe('estimate')
  expect(tokens).toBeGreaterThan(12)
})

/** The count of a call with these arguments, without the question. */
function called(name: CounterName, json: string): TokenCount {
  const counter = createCounter(name, o200k)
  const calls = [{ id: 'c', type: 'function', function: { name: 'weather', arguments: json } }]
  return countChatTokens([{ role: 'assistant', content: null, tool_calls: calls }], counter)
}

test('arguments of a call to Gemini are counted by keys and values, without the JSON around them', () => {
  const compact = JSON.stringify({ place: { city: 'Paris', zip: [75_001, null] }, now: true })
  const indented = JSON.stringify(JSON.parse(compact), null, 4)
  const escaped = compact.replaceAll('a', '\\u0061')
  expect(called('gemini', indented)).toEqual(called('gemini', compact))
  expect(called('gemini', escaped)).toEqual(called('gemini', compact))
  const openai = called('openai-o200k', compact).tokens
  expect(called('openai-o200k', indented).tokens).toBeGreaterThan(openai)
})

test('arguments that are not JSON, or too large to parse, are counted as they are', () => {
  const text = 'a '.repeat(70_000)
  const words = o200k.countTokens(text)
  expect(called('gemini', 'a '.repeat(50)).tokens).toBeGreaterThan(50)
  expect(called('gemini', `{"${text}":"${text}"}`).tokens).toBeGreaterThan(2 * words)
  const nested = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
  expect(called('gemini', nested).tokens).toBeLessThan(100)
})

const described = (parameter: object, description = ''): readonly unknown[] => [
  {
    type: 'function',
    function: {
      name: 'x',
      description,
      parameters: { type: 'object', properties: { a: { type: 'string', ...parameter } } },
    },
  },
]
const vocabularyWord = 'additionalProperties'

test.each([
  ['each line', described({}, '\n'.repeat(900)), '// \n'.repeat(900)],
  [
    'examples',
    described({ examples: Array.from({ length: 300 }, () => vocabularyWord) }),
    `// - "${vocabularyWord}"\n`.repeat(300),
  ],
  [
    'a default',
    described({ default: Array.from({ length: 300 }, () => '\u0001') }),
    `// default: ${JSON.stringify(Array.from({ length: 300 }, () => '\u0001'))}`,
  ],
])('the bound covers the comments that OpenAI writes for %s', (_, tools, comments) => {
  const counter = createCounter('openai-reasoning', o200k)
  const { upperBound } = countChatTokens([{ role: 'user', content: 'hi' }], counter, { tools })
  expect(upperBound).toBeGreaterThan(o200k.countTokens(comments))
})

test.each<[CounterName]>([['claude'], ['llama4'], ['grok-4.3'], ['generic']])(
  'the bound of %s covers control characters, which JSON escapes',
  (name) => {
    const tools = described({ description: '\u0001\u0002'.repeat(5_000) })
    const { upperBound } = countChatTokens([], createCounter(name, o200k), { tools })
    expect(upperBound).toBeGreaterThan(JSON.stringify(tools).length)
  },
)
