import { expect, test } from 'vitest'
import { createRecentReading } from '../../src/scheduling/recent-reading.ts'

test('a reading is used for so long, and not after the clock was set back', async () => {
  let now = 0
  let count = 0
  const read = async () => {
    count += 1
    return count
  }
  const recentReading = createRecentReading(read, { clock: () => now, freshMs: 1_000 })
  const readings: number[] = []
  for (now of [5_000, 5_999, 6_000, 1_000]) readings.push(await recentReading())
  expect(readings).toEqual([1, 1, 2, 3])
})
