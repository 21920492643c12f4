import { chatRequestSchema } from '@farebox/api'
import { createCatalog, shippedData } from '@farebox/catalogs'
import { expect, test } from 'vitest'
import { checkFields } from '../../src/quote/check-fields.ts'

const catalog = createCatalog({ ...shippedData, now: Date.UTC(2026, 10, 22) })
const user = { role: 'user', content: 'hi' }
const text = { role: 'assistant', content: 'Let me see.' }
const empty = { role: 'assistant', content: null, reasoning: 'Hm.' }
const calls = (...ids: readonly string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const result = (id: string) => ({ role: 'tool', content: 'r', tool_call_id: id })

function rejection(model: string, messages: readonly object[]) {
  const found = catalog.findChatModel(model)
  if (found === undefined) throw new Error(`${model} is not in the catalog`)
  return checkFields(chatRequestSchema.parse({ messages }), found)
}

const claude = 'anthropic/claude-opus-5.5'
const gpt = 'openai/gpt-5.5'

test.each([
  ['each result after its calls', [user, calls('a', 'b'), result('b'), result('a'), user]],
  ['one id in two turns', [calls('a'), result('a'), calls('a'), result('a')]],
  ['a message of the user between results', [calls('a', 'b'), result('a'), user, result('b')]],
  ['text between calls and results', [calls('a'), text, result('a'), user]],
  ['an empty answer between results', [calls('a', 'b'), result('a'), empty, result('b')]],
])('%s: Claude and GPT are sold', (_, messages) => {
  for (const model of [claude, gpt]) expect(rejection(model, messages)).toBeUndefined()
})

test.each([
  ['no result', [user, calls('a'), user], 1],
  ['no result at the end', [user, calls('a')], 1],
  ['one result of two', [calls('a', 'b'), result('a'), user], 0],
  ['a result before its repeated call', [calls('a'), result('a'), text, user, calls('a')], 4],
])('%s: Claude and GPT are refused, other models are sold', (_, messages, index) => {
  for (const model of [claude, gpt]) {
    expect(rejection(model, messages)).toMatchObject({
      code: 'invalid_field',
      param: `messages[${index}]`,
      message: expect.stringContaining('Add the result, or remove the call.'),
    })
  }
  for (const model of ['openai/gpt-oss-120b', 'google/gemini-3.5-flash']) {
    expect(rejection(model, messages)).toBeUndefined()
  }
})

test.each([
  ['a result after the next answer', [calls('a'), user, text, result('a')], 0],
  ['a second result in a later turn', [calls('a'), result('a'), text, result('a')], 3],
])('%s: Claude is refused, GPT is sold', (_, messages, index) => {
  expect(rejection(claude, messages)?.param).toBe(`messages[${index}]`)
  expect(rejection(gpt, messages)).toBeUndefined()
})
