import { describe, expect, test } from 'vitest'
import type { ChatExtras } from '../../src/chat/chat-message.ts'
import { countChatTokens } from '../../src/chat/count-chat-tokens.ts'
import { renderFormat } from '../../src/chat/render-format.ts'
import { withAddedTokens } from '../../src/counter/added-tokens.ts'
import { createCounter } from '../../src/counter/counter.ts'
import type { CounterName } from '../../src/counter/counter-name.ts'
import { geminiFraming } from '../../src/counter/gemini-framings.ts'
import type { TokenCount } from '../../src/counter/token-count.ts'
import { tokenizer as o200k } from '../../src/o200k-base.ts'

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}

/** The same in the form of Google's `responseSchema`. */
const ofGoogle = {
  type: 'OBJECT',
  properties: { name: { type: 'STRING' }, age: { type: 'INTEGER' } },
  property_ordering: ['name', 'age'],
  required: ['name', 'age'],
}

const formatOf = (own: object, more: object = {}): object => ({
  type: 'json_schema',
  json_schema: { name: 'person', schema: own, ...more },
})

function count(name: CounterName, text: string, extras: ChatExtras): TokenCount {
  return countChatTokens([{ role: 'user', content: text }], createCounter(name, o200k), extras)
}

function added(name: CounterName, extras: ChatExtras): { tokens: number; upperBound: number } {
  const plain = count(name, 'Who?', {})
  const { tokens, upperBound } = count(name, 'Who?', extras)
  return { tokens: tokens - plain.tokens, upperBound: upperBound - plain.upperBound }
}

describe("Gemini on Google's own API", () => {
  test.each(['gemini', 'gemini-2.0'] as const)('%s: JSON Schema is not billed', (name) => {
    expect(added(name, { responseFormat: formatOf(schema) })).toEqual({ tokens: 0, upperBound: 0 })
    expect(added(name, { responseFormat: { type: 'json_object' } }).upperBound).toBe(0)
  })

  test('a schema for `responseSchema` costs 2.0 its values, and the bound of later models', () => {
    const responseFormat = formatOf(ofGoogle)
    const { text } = renderFormat(responseFormat, 'values') ?? { text: '' }
    expect(text.split(' ').sort()).toEqual(
      'INTEGER OBJECT STRING age age age name name name'.split(' '),
    )
    const values = createCounter('gemini-2.0', o200k).countText(text)
    expect(added('gemini-2.0', { responseFormat })).toEqual({
      tokens: values.tokens,
      upperBound: values.upperBound,
    })
    expect(added('gemini', { responseFormat })).toEqual({
      tokens: 0,
      upperBound: values.upperBound,
    })
  })

  test('a schema too large to take apart is counted as JSON', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`p${index}`, { type: 'STRING', title: 'a' }]),
    )
    const responseFormat = formatOf({ type: 'OBJECT', properties })
    expect(renderFormat(responseFormat, 'values')?.text).toBe(JSON.stringify(responseFormat))
  })

  // github.com/simonw/llm-gemini, tests/cassettes of 2026-08-05: `response_schema` of Gemini 3.6 Flash.
  test.each([
    ['Invent a cool dog', 5],
    ['Invent 3 cool dogs', 6],
    ['Create a person named Alice living in San Francisco', 10],
    ['Create a customer named Carol with 2 orders, each containing 2 items', 16],
  ])('%s: a recorded request with a schema was billed its text', (text, billed) => {
    const { tokens, upperBound } = count('gemini', text, { responseFormat: formatOf(schema) })
    expect(Math.abs(tokens - billed)).toBeLessThanOrEqual(3)
    expect(upperBound).toBeGreaterThanOrEqual(billed)
    expect(upperBound).toBeLessThanOrEqual(2 * billed)
  })
})

/** github.com/crmne/ruby_llm, spec/fixtures of 2026-08-19: requests to Vertex AI, and their bills. */
const vertexBills = [
  ['Generate a person named Bob', schema, 70],
  ['Generate a person named John who is 30 years old', schema, 77],
  [
    'What is the square root of 64? Answer with a JSON object with the key `result`.',
    { type: 'OBJECT', properties: { result: { type: 'NUMBER' } } },
    24,
  ],
] as const

describe('Gemini on Vertex AI', () => {
  test.each(vertexBills)('%s: the bound holds the schema that was billed', (text, own, billed) => {
    const responseFormat = formatOf(own)
    for (const wire of ['vertex', 'router'] as const) {
      const { upperBound } = count('gemini', text, { responseFormat, wire })
      expect(upperBound).toBeGreaterThanOrEqual(billed)
    }
  })

  test('JSON Schema is counted within 20 %, and bounded by twice the bill', () => {
    for (const [text, own, billed] of vertexBills.slice(0, 2)) {
      const { tokens, upperBound } = count('gemini', text, {
        responseFormat: formatOf(own),
        wire: 'vertex',
      })
      expect(Math.abs(tokens / billed - 1)).toBeLessThan(0.2)
      expect(upperBound).toBeLessThanOrEqual(2 * billed)
    }
  })

  test.each(['own vocabulary', 'without it'])('%s: the bound has room for indented JSON', (own) => {
    const encoding = own === 'own vocabulary' ? 'gemma3' : 'o200k_base'
    const counter = createCounter('gemini', { ...o200k, encoding })
    const extras = { responseFormat: formatOf(schema), wire: 'vertex' } as const
    const plain = countChatTokens([], counter).upperBound
    const indented = o200k.countTokens(JSON.stringify(schema, null, 2))
    expect(countChatTokens([], counter, extras).upperBound - plain).toBeGreaterThan(indented + 32)
  })

  test("a router may send it to Vertex AI: the bound of that, the estimate of Google's own API", () => {
    const responseFormat = formatOf(schema)
    const vertex = added('gemini', { responseFormat, wire: 'vertex' })
    const router = added('gemini', { responseFormat, wire: 'router' })
    expect(router).toEqual({ tokens: 0, upperBound: vertex.upperBound })
  })

  test('calibrated tokens of a format are added on each wire', () => {
    const { format, formatOn } = withAddedTokens(geminiFraming, { format: 7 })
    expect(format.likely.request).toBe(geminiFraming.format.likely.request + 7)
    const { vertex } = geminiFraming.formatOn ?? {}
    expect(formatOn?.vertex?.likely.request).toBe((vertex?.likely.request ?? 0) + 7)
    expect(formatOn?.vertex?.atMost.request).toBe((vertex?.atMost.request ?? 0) + 7)
  })
})

describe('Claude', () => {
  test('the schema is billed, and neither its name nor `strict`', () => {
    const bare = added('claude', { responseFormat: formatOf(schema) })
    const named = { name: 'A person of the register of names', strict: true }
    expect(added('claude', { responseFormat: formatOf(schema, named) })).toEqual(bare)
    const own = createCounter('claude', o200k).countText(JSON.stringify(schema))
    expect(bare.tokens).toBe(125 + own.tokens)
  })

  test('the bound holds a description, which a router may send on', () => {
    const description = 'a register of persons '.repeat(100)
    const bare = added('claude', { responseFormat: formatOf(schema) })
    const described = added('claude', { responseFormat: formatOf(schema, { description }) })
    expect(described.tokens).toBe(bare.tokens)
    expect(described.upperBound - bare.upperBound).toBeGreaterThan(o200k.countTokens(description))
  })

  test('the bound covers a schema whose characters a template escapes', () => {
    const own = { type: 'object', description: '的'.repeat(300) }
    const escaped = JSON.stringify(own).replaceAll('的', '\\u7684')
    const { upperBound } = added('claude', { responseFormat: formatOf(own) })
    expect(upperBound).toBeGreaterThan(o200k.countTokens(escaped))
  })

  test('a format without a schema is counted as it is', () => {
    const responseFormat = { type: 'json_object' }
    expect(renderFormat(responseFormat, 'schema')?.text).toBe(JSON.stringify(responseFormat))
  })
})

test.each(['json', 'schema', 'values'] as const)('%s: text, or no format, adds nothing', (form) => {
  expect(renderFormat({ type: 'text' }, form)).toBeUndefined()
  expect(renderFormat(undefined, form)).toBeUndefined()
})

test.each([[null], [5], ['json'], [[]], [{ json_schema: 7 }], [{ json_schema: { schema: [] } }]])(
  'a format of another shape, %j, does not make a count throw',
  (responseFormat) => {
    for (const name of ['claude', 'gemini', 'gemini-2.0', 'openai-o200k'] as const) {
      expect(added(name, { responseFormat }).upperBound).toBeGreaterThanOrEqual(0)
    }
  },
)
