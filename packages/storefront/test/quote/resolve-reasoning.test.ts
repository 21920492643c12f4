import { chatRequestSchema } from '@farebox/api'
import { createCatalog, shippedData } from '@farebox/catalogs'
import { expect, test } from 'vitest'
import { resolveReasoning } from '../../src/quote/resolve-reasoning.ts'

const catalog = createCatalog({ ...shippedData, now: Date.UTC(2026, 10, 22) })

function resolved(id: string, fields: object) {
  const model = catalog.findChatModel(id)
  if (model === undefined) throw new Error(`${id} is not in the catalog`)
  const messages = [{ role: 'user', content: 'hi' }]
  return resolveReasoning(chatRequestSchema.parse({ messages, ...fields }), model)
}

const reasoner = 'openai/gpt-5.2'
const off = { enabled: false }
const high = { reasoning_effort: 'high', reasoning: off }

test.each([
  ['anthropic/claude-opus-5', { reasoning: off }, { reasoning_effort: 'none' }],
  ['anthropic/claude-haiku-4.5', { reasoning: off }, { reasoning_effort: 'none' }],
  ['anthropic/claude-sonnet-5.5', { reasoning: off }, { reasoning_effort: 'none' }],
  ['anthropic/claude-opus-5', high, high],
  ['anthropic/claude-sonnet-5.5', high, high],
  ['anthropic/claude-opus-5', { reasoning: { enabled: true } }, { reasoning_effort: 'high' }],
  ['google/gemini-2.5-flash', { reasoning: { enabled: true } }, { reasoning_effort: 'medium' }],
])('%s with %j asks for %j', (id, asked, fields) => {
  expect(resolved(id, asked)).toMatchObject({ request: fields })
})

test.each([
  ['anthropic/claude-opus-5.5', { reasoning: off }],
  ['anthropic/claude-opus-5.5', high],
  ['anthropic/claude-sonnet-5.5', { reasoning_effort: 'xhigh', reasoning: off }],
  ['anthropic/claude-opus-5', { reasoning_effort: 'max', reasoning: off }],
  ['google/gemini-3.5-flash', high],
])('%s with %j is rejected, by the name of the field', (id, asked) => {
  expect(resolved(id, asked)).toMatchObject({ rejection: { param: 'reasoning.enabled' } })
})

test.each([
  [{ max_tokens: 900 }, { reasoning_effort: 'high', reasoning: { max_tokens: 900 } }],
  [{ max_tokens: 500 }, { reasoning_effort: 'medium', reasoning: { max_tokens: 500 } }],
  [{ max_tokens: 100 }, { reasoning_effort: 'low', reasoning: { max_tokens: 100 } }],
  [{ max_tokens: 0 }, { reasoning_effort: 'none', reasoning: undefined }],
  [
    { effort: 'low', exclude: true },
    { reasoning_effort: 'low', reasoning: { exclude: true } },
  ],
  [{ exclude: false }, { reasoning_effort: undefined, reasoning: undefined }],
])('%j of 1000 tokens asks for %j', (reasoning, fields) => {
  expect(resolved(reasoner, { max_tokens: 1000, reasoning })).toMatchObject({ request: fields })
})

test.each([
  ['anthropic/claude-haiku-4.5', {}, undefined],
  ['anthropic/claude-opus-4.1', {}, undefined],
  ['anthropic/claude-opus-4.5', { reasoning_effort: 'high' }, 'high'],
])('%s thinks within its budget, with %j', (id, fields, reasoning_effort) => {
  const reasoning = { max_tokens: 2048 }
  expect(resolved(id, { reasoning, ...fields })).toMatchObject({
    request: { reasoning, reasoning_effort },
  })
})

test.each([
  [{ reasoning: { max_tokens: 1023 } }, 'reasoning.max_tokens'],
  [{ reasoning: { max_tokens: 4096 } }, 'reasoning.max_tokens'],
  [{ reasoning: { max_tokens: 2048 }, temperature: 0.5 }, 'temperature'],
  [{ reasoning: { max_tokens: 2048 }, tool_choice: 'required' }, 'tool_choice'],
])('Claude Haiku 4.5 with %j is rejected', (fields, param) => {
  expect(resolved('anthropic/claude-haiku-4.5', fields)).toMatchObject({ rejection: { param } })
})

test.each([
  ['openai/gpt-4.1-mini', { max_tokens: 100 }, /^reasoning\.max_tokens is not supported/],
  [reasoner, { max_tokens: 4096 }, /must be less than max_tokens, which is 4096\.$/],
  [reasoner, { max_tokens: 100, effort: 'low' }, /cannot be combined with an effort/],
])('%s with %j is rejected', (id, reasoning, message) => {
  expect(resolved(id, { reasoning })).toMatchObject({
    rejection: { param: 'reasoning.max_tokens', message: expect.stringMatching(message) },
  })
})
