import { chatRequestSchema } from '@farebox/api'
import { createAnthropicProvider } from '@farebox/provider-proxy'
import { expect, test } from 'vitest'
import { basisAfterDisconnect, mayReasonUnseen } from '../../src/chat/unmetered-basis.ts'

type Provider = { readonly reasoning?: 'shown' | 'hidden' }
type Model = { readonly reasoning: 'none' | 'optional' | 'always' }

const requestWith = (fields: object) =>
  chatRequestSchema.parse({ messages: [{ role: 'user', content: 'hi' }], ...fields })

const parts = (provider: Provider, model: Model, fields: object = {}) => ({
  sale: { model, request: requestWith(fields) },
  route: { provider, upstreamModel: 'm' },
})
const hidden = parts({ reasoning: 'hidden' }, { reasoning: 'always' })
const plain = parts({ reasoning: 'hidden' }, { reasoning: 'none' })

test.each([
  ['a model that always reasons, at a provider that hides it', hidden, true],
  [
    'a model that may, unless told not to',
    parts({ reasoning: 'hidden' }, { reasoning: 'optional' }),
    true,
  ],
  [
    'a model that may and is asked not to',
    parts({ reasoning: 'hidden' }, { reasoning: 'optional' }, { reasoning_effort: 'none' }),
    false,
  ],
  ['a model that does not', plain, false],
  ['a provider that shows it', parts({ reasoning: 'shown' }, { reasoning: 'always' }), false],
  ['a provider that states nothing', parts({}, { reasoning: 'always' }), false],
])('%s reasons unseen: %#', (_, request, expected) => {
  expect(mayReasonUnseen(request)).toBe(expected)
})

test('a client that left is billed by the count, by the most that may be unseen, or by nothing before the first word or image', () => {
  const nothing = { choices: [], bytes: 0, chunks: 1, images: 0, bytesNotKept: 0 }
  const word = { ...nothing, bytes: 4 }
  expect(basisAfterDisconnect(word, plain)).toBe('counted')
  expect(basisAfterDisconnect({ ...nothing, images: 1 }, plain)).toBe('counted')
  expect(basisAfterDisconnect(word, hidden)).toBe('most')
  expect([basisAfterDisconnect(nothing, plain), basisAfterDisconnect(nothing, hidden)]).toEqual([
    'nothing',
    'nothing',
  ])
})

test.each([
  ['claude-sonnet-4-6', {}, false],
  ['claude-sonnet-4-6', { reasoning_effort: 'high' }, true],
  ['claude-opus-4-5', { reasoning_effort: 'high' }, false],
  ['claude-opus-5', {}, true],
  ['claude-opus-5', { reasoning_effort: 'none' }, false],
])('%s with %j may think unseen: %s', (upstreamModel, fields, expected) => {
  const provider = createAnthropicProvider({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1' })
  const sale = { model: { reasoning: 'optional' as const }, request: requestWith(fields) }
  expect(mayReasonUnseen({ sale, route: { provider, upstreamModel } })).toBe(expected)
})
