import { expect, test } from 'vitest'
import { chatRequestSchema, parseWith } from '../src/index.ts'

const invalid = { role: 'nobody', content: 'Hello' }

/** A list whose second value records that it was read. */
function watched(first: unknown): {
  readonly list: readonly unknown[]
  readonly reads: () => number
} {
  let reads = 0
  const list = [first, first]
  Object.defineProperty(list, 1, {
    get: () => {
      reads += 1
      return first
    },
  })
  return { list, reads: () => reads }
}

test.each([
  ['messages[0].role', (list: readonly unknown[]) => ({ messages: list }), invalid],
  [
    'messages[0].content[0].type',
    (list: readonly unknown[]) => ({ messages: [{ role: 'user', content: list }] }),
    { type: 'x' },
  ],
  [
    'tools[0].type',
    (list: readonly unknown[]) => ({ messages: [{ role: 'user', content: 'a' }], tools: list }),
    { type: 'x' },
  ],
] as const)('nothing after an invalid %s is looked at', (param, body, first) => {
  const { list, reads } = watched(first)
  expect(parseWith(chatRequestSchema, body(list))).toMatchObject({ problem: { param } })
  expect(reads()).toBe(0)
})

test('an invalid message is named, and the missing ones after it are not asked for', () => {
  const half = { type: 'text', text: 'a'.repeat(60_000) }
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [half, half] },
    invalid,
  ]
  expect(parseWith(chatRequestSchema, { messages })).toMatchObject({
    problem: { param: 'messages[1].content' },
  })
})
