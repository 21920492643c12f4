import { expect, test } from 'vitest'
import {
  chatRequestSchema,
  createChatRequestSchema,
  parseWith,
  specifiedLimits,
  widestLimits,
} from '../../src/index.ts'

const widest = createChatRequestSchema(widestLimits)
const user = (content: string) => ({ role: 'user', content })
const called = {
  role: 'assistant',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }],
}
const result = (content: unknown) => ({ role: 'tool', tool_call_id: 'c', content })

test.each([
  [chatRequestSchema, specifiedLimits, ', or use /v1/responses or /v1/messages, which take 10000'],
  [widest, widestLimits, ''],
])('more messages than the limit are rejected with what to do', (schema, limits, remedy) => {
  const messages = Array.from({ length: limits.messages }, () => user('a'))
  expect(parseWith(schema, { messages }).status).toBe('valid')
  expect(parseWith(schema, { messages: [...messages, user('a')] })).toMatchObject({
    problem: {
      param: 'messages',
      message: `messages must have 1 to ${limits.messages} messages: shorten the conversation${remedy}.`,
    },
  })
})

test.each([
  [chatRequestSchema, specifiedLimits, ': shorten it, or use /v1/responses or /v1/messages'],
  [widest, widestLimits, '.'],
])('a longer message than the limit is rejected with what to do', (schema, limits, remedy) => {
  const text = 'a'.repeat(limits.characters)
  expect(parseWith(schema, { messages: [user(text)] }).status).toBe('valid')
  const parsed = parseWith(schema, { messages: [user(`${text}a`)] })
  expect(parsed).toMatchObject({ problem: { param: 'messages[0].content' } })
  expect(parsed.status === 'invalid' && parsed.problem.message).toContain(
    `must have 1 to ${limits.characters} characters${remedy}`,
  )
})

test('a result of a tool may be longer than a message', () => {
  const file = 'a'.repeat(widestLimits.characters)
  for (const content of [file, [{ type: 'text', text: file }]]) {
    const messages = [user('a'), called, result(content)]
    expect(parseWith(chatRequestSchema, { messages }).status).toBe('valid')
  }
  const messages = [user('a'), called, result(`${file}a`)]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({
    problem: { param: 'messages[2].content' },
  })
})

const tool = (name: string, description: string) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
})

test('definitions longer than any context are refused by name', () => {
  const million = 'a'.repeat(1_000_000)
  const tools = ['a', 'b', 'c'].map((name) => tool(name, million))
  const body = { messages: [user('a')], tools: [...tools, tool('d', 'short')] }
  expect(parseWith(chatRequestSchema, body).status).toBe('valid')
  expect(parseWith(chatRequestSchema, { ...body, tools: [...tools, tool('d', million)] })).toEqual({
    status: 'invalid',
    problem: {
      code: 'invalid_field',
      param: 'tools',
      message: 'tools must have at most 4000000 characters: shorten its descriptions and schemas.',
    },
  })
  const schema = { type: 'object', ['a'.repeat(4_000_000)]: true }
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }
  expect(parseWith(chatRequestSchema, { messages: [user('a')], response_format })).toMatchObject({
    problem: { param: 'response_format' },
  })
})
