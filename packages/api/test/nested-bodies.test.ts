import { expect, test } from 'vitest'
import { chatRequestSchema, parseWith } from '../src/index.ts'

/** A request whose tool has an object within an object, so many times. */
function nested(levels: number): unknown {
  const parameters: unknown = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  const tools = [{ type: 'function', function: { name: 'f', parameters } }]
  return { messages: [{ role: 'user', content: 'Hello' }], tools }
}

test.each([200, 100_000])('a body of %s levels is refused, and nothing throws', (levels) => {
  expect(parseWith(chatRequestSchema, nested(levels))).toEqual({
    status: 'invalid',
    problem: {
      code: 'invalid_field',
      param: null,
      message: 'The body must be nested at most 200 levels deep.',
    },
  })
})

test('a schema of 150 levels is accepted', () => {
  expect(parseWith(chatRequestSchema, nested(150)).status).toBe('valid')
})
