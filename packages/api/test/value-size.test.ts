import { expect, test } from 'vitest'
import { isDeeperThan, isLongerThan } from '../src/index.ts'

test.each([
  ['', 0],
  ['abc', 3],
  [{ ab: 'c' }, 3],
  [['a', ['b', { c: 'd' }]], 4],
  [[12_345, true, null], 0],
])('the texts and keys of %j have %i characters, and no more', (value, characters) => {
  expect(isLongerThan(value, characters)).toBe(false)
  expect(isLongerThan(value, characters - 1)).toBe(true)
})

test.each([
  [[], 1],
  [{ a: 'b' }, 1],
  [[[]], 2],
  [{ a: [{}] }, 3],
  [[[[]], []], 3],
  [[[], [], [[[]]]], 4],
  [{ a: [], b: { c: null } }, 2],
])('%j is %i levels deep, and no deeper', (value, levels) => {
  expect(isDeeperThan(value, levels)).toBe(false)
  expect(isDeeperThan(value, levels - 1)).toBe(true)
})
