import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonScan } from '../../src/body/json-scan.ts'

const limits = { depth: 4, elements: 10, keys: 5, differentKeys: 5 }

function scan(text: string, chunk = text.length || 1): string | undefined {
  const bytes = Buffer.from(text)
  const json = createJsonScan(limits)
  for (let at = 0; at < bytes.length; at += chunk) {
    const problem = json.push(bytes.subarray(at, at + chunk))
    if (problem !== undefined) return problem
  }
  return undefined
}

test.each([
  ['[[[[1]]]]', undefined],
  ['[[[[[1]]]]]', 'must be nested at most 4 levels deep'],
  ['[1,2,3,4,5,6,7,8,9]', undefined],
  ['[1,2,3,4,5,6,7,8,9,10,11]', 'must have at most 10 values'],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5}', undefined],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', 'must have at most 5 keys'],
  ['{"a":{"a":1},"b":[{"a":1}]}', undefined],
  ['{"a":1,"a":2}', 'must not repeat the key "a" in one object'],
  ['{"a":1,"\\u0061":2}', 'must not repeat the key "a" in one object'],
  ['{"__proto__":1}', 'must not have a key __proto__'],
  ['{"a":"\\"b\\":1,","c":"{[[[[[["}', undefined],
  ['{"a":["x","x"],"b":"a"}', undefined],
])('%s: %s', (text, problem) => {
  for (const chunk of [text.length, 1, 3]) expect(scan(text, chunk)).toBe(problem)
})

test.each([
  ['[{"a":1},{"a":2},{"b":3}]', undefined],
  ['[{"a":1},{"b":2},{"\\u0062":3}]', undefined],
  ['{"a":{"b":{"c":1}}}', 'must have at most 2 different keys'],
])('keys of the same name count once: %s', (text, problem) => {
  const json = createJsonScan({ ...limits, differentKeys: 2 })
  expect(json.push(Buffer.from(text))).toBe(problem)
})

test('accepts any output of JSON.stringify within the limits, in any chunks', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.integer({ min: 1, max: 9 }), (text, chunk) => {
      const wide = createJsonScan({
        depth: 32,
        elements: 20_000,
        keys: 50_000,
        differentKeys: 50_000,
      })
      const bytes = Buffer.from(text)
      const problems: (string | undefined)[] = []
      for (let at = 0; at < bytes.length; at += chunk) {
        problems.push(wide.push(bytes.subarray(at, at + chunk)))
      }
      const found = problems.find((problem) => problem !== undefined)
      expect(found === undefined || text.includes('__proto__')).toBe(true)
    }),
  )
})

test('finds the same in any chunks', () => {
  const unit = fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', 'a', 'é', '1', ' ')
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (text, chunk) => {
        expect(scan(text, chunk)).toBe(scan(text))
      },
    ),
    { numRuns: 2_000 },
  )
})
