import { expect, test } from 'vitest'
import { basisOfLeaver, mayReasonUnseen } from '../../src/chat/unmetered-basis.ts'

type Provider = { readonly reasoning?: 'shown' | 'hidden' }
type Model = { readonly reasoning: 'none' | 'optional' | 'always' }
type Request = { readonly reasoning_effort: 'none' | undefined }

const parts = (
  provider: Provider,
  model: Model,
  request: Request = { reasoning_effort: undefined },
) => ({
  sale: { model, request },
  route: { provider },
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

test('who left is billed by the count, by the most that may be unseen, or by nothing before the first word', () => {
  const nothing = { choices: [], bytes: 0, chunks: 1, bytesNotKept: 0 }
  const word = { ...nothing, bytes: 4 }
  expect(basisOfLeaver(word, plain)).toBe('counted')
  expect(basisOfLeaver(word, hidden)).toBe('most')
  expect([basisOfLeaver(nothing, plain), basisOfLeaver(nothing, hidden)]).toEqual([
    'nothing',
    'nothing',
  ])
})
