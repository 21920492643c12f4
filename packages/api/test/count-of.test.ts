import { expect, test } from 'vitest'
import { countOf } from '../src/index.ts'

test('a noun is plural for every count but one', () => {
  const counts = [0, 1, 2, 1n, 20n]
  expect(counts.map((count) => countOf(count, 'payment'))).toEqual([
    '0 payments',
    '1 payment',
    '2 payments',
    '1 payment',
    '20 payments',
  ])
})
