import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  anthropicLimits,
  geminiLimits,
  ollamaProfile,
  openAiProfile,
  unsupportedField,
  vllmProfile,
} from '../../src/index.ts'

function requestWith(...texts: readonly string[]) {
  const calls = texts.map((text, at) => ({
    id: `call_${at}`,
    type: 'function',
    function: { name: 'f', arguments: text },
  }))
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', tool_calls: calls },
    ...results,
  ]
  return chatRequestSchema.parse({ messages })
}

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

test.each([
  ['cut off', '{"cut'],
  ['a list', '[]'],
  ['a text', '"text"'],
  ['null', 'null'],
  ['an object of 201 levels', nested(201)],
  ['an object of 20,000 levels', nested(20_000)],
])('arguments that are %s are refused where a JSON object is parsed', (_, text) => {
  const request = requestWith('{}', text)
  const path = 'messages[1].tool_calls[1].function.arguments'
  for (const profile of [anthropicLimits, geminiLimits, ollamaProfile, vllmProfile]) {
    expect(unsupportedField(profile, request)).toBe(path)
  }
  expect(unsupportedField(openAiProfile, request)).toBeNull()
})

test('no arguments at all are an empty object, and 200 levels are accepted', () => {
  expect(unsupportedField(vllmProfile, requestWith('', '{"a":1}', nested(200)))).toBeNull()
})
