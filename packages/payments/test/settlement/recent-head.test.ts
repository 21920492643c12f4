import { expect, test } from 'vitest'
import { createRecentHead } from '../../src/settlement/recent-head.ts'

test('the head is read once a second, and after the clock was set back', async () => {
  let now = 0
  let number = 0
  const head = async () => {
    number += 1
    return { number, hash: '0x', timestamp: 0 } as const
  }
  const recentHead = createRecentHead({ head }, () => now)
  const blocks: number[] = []
  for (now of [5_000, 5_999, 6_000, 1_000]) blocks.push((await recentHead()).number)
  expect(blocks).toEqual([1, 1, 2, 3])
})
