import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonFault } from '../../src/body/json-fault.ts'

test.each([
  ['{"a":NaN}', 1, 6],
  ['{"a":1,}', 1, 8],
  ['[1,]', 1, 4],
  ['[1 2]', 1, 4],
  ['{"a" 1}', 1, 6],
  ['{a:1}', 1, 2],
  ["{'a':1}", 1, 2],
  ['{"a":1]', 1, 7],
  ['[}', 1, 2],
  ['{]', 1, 2],
  ['[01]', 1, 3],
  ['[1.]', 1, 3],
  ['{} x', 1, 4],
  ['{}{}', 1, 3],
  ['{"a":[1,2', 1, 10],
  ['   ', 1, 4],
  ['', 1, 1],
  ['{\n  "a": "one\ntwo"\n}', 2, 12],
  ['{\r\n  "a": "\\x"}', 2, 9],
  ['{\n\n"a": tru}', 3, 6],
])('%j is JSON up to line %i, column %i', (text, line, column) => {
  expect(findJsonFault(text)).toEqual({ line, column })
})

test('a text has a fault exactly if it cannot be parsed', () => {
  const changed = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', '[', '\\', '\n', '0', 'e', ':'))
    .map(([json, at, put]) => {
      const place = at % (json.length + 1)
      return json.slice(0, place) + put + json.slice(place + 1)
    })
  fc.assert(
    fc.property(fc.oneof(fc.json(), changed), (text) => {
      expect(findJsonFault(text) === undefined).toBe(isJson(text))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['letters', `"${'a'.repeat(1_000_000)}`, 1_000_002],
  ['escapes', `"${'\\n'.repeat(500_000)}`, 1_000_002],
  ['space', ' '.repeat(1_000_000), 1_000_001],
  ['numbers', `[${'1,'.repeat(500_000)}`, 1_000_002],
])('the end of a million characters that are %s is found', (_, text, column) => {
  expect(findJsonFault(text)).toEqual({ line: 1, column })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
