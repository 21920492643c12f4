import { expect, test } from 'vitest'
import { chatMessageSchema, chatRequestSchema, parseWith } from '../../src/index.ts'

const user = { role: 'user', content: 'hello' }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const answer = { role: 'assistant', content: 'hi' }
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

test.each([
  ['of a model that reasons', { reasoning: 'so', reasoning_content: 'so' }],
  ['without reasoning, said with null', { reasoning: null, reasoning_content: null }],
  ['of OpenRouter', { reasoning_details: [{ type: 'reasoning.text', text: 'so', extra: 1 }] }],
  ['of OpenAI', { refusal: null, annotations: [], audio: null, function_call: null }],
  ['of the parsing helpers', { parsed: { a: 1 }, tool_calls: [] }],
  ['that was heard', { audio: { id: 'audio_1', data: 'AAAA' } }],
  ['with sources', { annotations: [{ type: 'url_citation', url_citation: { url: 'x' } }] }],
  ['with calls of the parsing helpers', { tool_calls: [parsedCall()] }],
  ['with calls of a stream', { tool_calls: [{ ...call, index: 0 }] }],
  ['that refuses', { content: null, refusal: 'no' }],
  ['that refuses, without content', { content: undefined, refusal: 'no' }],
  ['that refuses in a part', { content: [{ type: 'refusal', refusal: 'no' }] }],
  ['in parts, as of OpenAI agents', { content: [repeatingPart()] }],
  ['that drew, without content', { content: null, images: [picture] }],
  ['that ended in its reasoning', { content: '', reasoning: 'so' }],
  ['that ended before its text', { content: '' }],
  ['that called a function', { content: null, function_call: { name: 'f', arguments: '{}' } }],
])('an answer %s is accepted as history', (_, fields) => {
  const messages = [user, { ...answer, ...fields }, user]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({ status: 'valid' })
})

test('an optional field of an answer may be null', () => {
  const names = [
    'name',
    'refusal',
    'tool_calls',
    'reasoning',
    'reasoning_content',
    'reasoning_details',
    'annotations',
    'audio',
    'function_call',
    'parsed',
  ]
  const nulls = Object.fromEntries(names.map((name) => [name, null]))
  expect(chatMessageSchema.parse({ ...answer, ...nulls })).toEqual(answer)
})

test('what no provider needs is dropped', () => {
  const kept = {
    reasoning: 'so',
    reasoning_details: [{ type: 'reasoning.text', id: 'r', text: 'so', signature: 'xyz' }],
  }
  const [detail] = kept.reasoning_details
  const message = chatMessageSchema.parse({
    ...answer,
    ...kept,
    reasoning_details: [{ ...detail, extra: 'e', text: 'so' }],
    tool_calls: [{ ...parsedCall(), index: 0 }],
    refusal: null,
    annotations: [{ type: 'url_citation' }],
    audio: { id: 'a' },
    parsed: { a: 1 },
  })
  expect(message).toEqual({ ...answer, ...kept, tool_calls: [call] })
})

test('the pieces of a long stream of thoughts are accepted one by one', () => {
  const piece = { type: 'reasoning.text', text: 'so ' }
  const reasoning_details = Array.from({ length: 32_000 }, () => piece)
  const messages = [user, { ...answer, reasoning_details }, user]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({ status: 'valid' })
})

test('a call without a name is dropped', () => {
  const nameless = { ...call, id: 'd', function: { name: '', arguments: '{}' } }
  const message = chatMessageSchema.parse({ ...answer, tool_calls: [call, nameless] })
  expect(message).toEqual({ ...answer, tool_calls: [call] })
})

test('a refusal alone becomes the content', () => {
  const refusing = { role: 'assistant', content: null, refusal: 'no' }
  expect(chatMessageSchema.parse(refusing)).toEqual({ role: 'assistant', content: 'no' })
  expect(chatMessageSchema.parse({ ...refusing, content: '' })).toMatchObject({ content: 'no' })
  const parts = [{ type: 'refusal', refusal: 'no' }]
  expect(chatMessageSchema.parse({ role: 'assistant', content: parts })).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'no' }],
  })
})

test('a refusal after a text is kept behind it, once', () => {
  const contentOf = (fields: object) =>
    chatMessageSchema.parse({ role: 'assistant', refusal: 'no', ...fields }).content
  expect(contentOf({ content: 'Hm.' })).toBe('Hm.\n\nno')
  expect(contentOf({ content: 'no' })).toBe('no')
  const part = { type: 'text', text: 'Hm.' }
  const both = [part, { type: 'text', text: 'no' }]
  expect(contentOf({ content: [part] })).toEqual(both)
  expect(contentOf({ content: [part, { type: 'refusal', refusal: 'no' }] })).toEqual(both)
})

test('the name of a tool message is dropped', () => {
  const result = { role: 'tool', content: 'r', tool_call_id: 'c' }
  expect(chatMessageSchema.parse({ ...result, name: 'f' })).toEqual(result)
  expect(chatMessageSchema.parse({ ...result, name: null })).toEqual(result)
})

test.each([
  [{ reasoning: 5 }, 'messages[1].reasoning'],
  [{ reasoning: 'x'.repeat(1_000_001) }, 'messages[1].reasoning'],
  [{ reasoning_details: [{ text: 'so' }] }, 'messages[1].reasoning_details[0].type'],
  [{ refusal: 'x'.repeat(100_001) }, 'messages[1].refusal'],
  [{ frobnicate: 1 }, 'messages[1].frobnicate'],
  [{ tool_calls: [{ ...call, x: 1 }] }, 'messages[1].tool_calls[0].x'],
  [{ content: undefined, tool_calls: [] }, 'messages[1].content'],
])('an answer with %j is rejected, naming %s', (fields, param) => {
  const parsed = parseWith(chatRequestSchema, { messages: [user, { ...answer, ...fields }, user] })
  expect(parsed).toMatchObject({ status: 'invalid', problem: { param } })
})

function parsedCall(): object {
  return { ...call, function: { ...call.function, parsed_arguments: {} } }
}

/** A part with the other fields of its message, as OpenAI's agents send it. */
function repeatingPart() {
  const repeated = { role: 'assistant', refusal: null, annotations: [], images: [picture] }
  return { type: 'text', text: 'hi', ...repeated, reasoning_details: [{ type: 'reasoning.text' }] }
}

test('what the parts of an answer repeat is dropped', () => {
  const message = chatMessageSchema.parse({ ...answer, content: [repeatingPart()] })
  expect(message).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] })
})

test("an empty part of an answer, as OpenAI's agents send an empty answer, is dropped", () => {
  const empty = { ...repeatingPart(), text: '' }
  const said = chatMessageSchema.parse({ ...answer, content: [empty, repeatingPart()] })
  expect(said).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] })
  const messages = [user, { ...answer, content: [empty] }, user]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({ status: 'valid' })
})

test('an answer of which nothing is left but null content is accepted, though not as the last message', () => {
  const nothing = { role: 'assistant', content: null }
  const messages = [user, nothing, user]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({ status: 'valid' })
  expect(parseWith(chatRequestSchema, { messages: [user, nothing] })).toMatchObject({
    problem: { message: 'messages[1].content must not be empty in the last message.' },
  })
})

test('the pictures that LangChain moves into the content are dropped', () => {
  const moved = [picture, { type: 'image', url: 'data:image/png;base64,AAAA' }]
  const content = [{ type: 'text', text: 'hi' }, ...moved]
  expect(chatMessageSchema.parse({ ...answer, content })).toMatchObject({
    content: [{ type: 'text', text: 'hi' }],
  })
  expect(chatMessageSchema.parse({ ...answer, content: moved })).toEqual({ role: 'assistant' })
})
