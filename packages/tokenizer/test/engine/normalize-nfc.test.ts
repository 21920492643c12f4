import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeNfc } from '../../src/engine/unicode/normalize-nfc.ts'

const marks = Array.from({ length: 0x20000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => (codePoint & 0xff800) !== 0xd800)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => /\p{M}/u.test(character))
const starters = ['a', 'é', 'ệ', '한', '\u1100', '\u1161', '\u{1f600}', ' ', '中']

test("equals the runtime's result for runs of marks of any length", () => {
  const run = fc.array(fc.constantFrom(...marks), { maxLength: 150 })
  const few = fc.array(fc.constantFrom(...marks.slice(0, 60)), { minLength: 30, maxLength: 150 })
  const part = fc.tuple(fc.constantFrom(...starters), fc.oneof(run, few))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const text = parts.map(([starter, run]) => starter + run.join('')).join('')
      expect(normalizeNfc(text)).toBe(text.normalize('NFC'))
    }),
    { numRuns: 500 },
  )
})

test('an endless run of marks takes linear time; quadratic time would be minutes', () => {
  const text = '\u0301\u0323\u0316'.repeat(100_000)
  const sorted = normalizeNfc(`a${text}`)
  expect(sorted.startsWith('\u1ea1\u0316')).toBe(true)
  expect(sorted.length).toBe(300_000)
  expect(sorted.lastIndexOf('\u0323')).toBeLessThan(sorted.indexOf('\u0301'))
})
