import { expect, test } from 'vitest'
import { createReasonFilter } from '../../src/log/reason-filter.ts'

test('the first ten reasons that differ in more than numbers are new', () => {
  const isNew = createReasonFilter()
  const letters = [...'abcdefghijkl']
  expect(letters.filter((letter) => isNew(`${letter} is 7 seconds old`))).toEqual([...'abcdefghij'])
  expect(isNew('a is 8 seconds old')).toBe(false)
})
