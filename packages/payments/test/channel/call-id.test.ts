import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createCallId } from '../../src/channel/call-id.ts'

test('ids of calls rise with time, and have 80 random bits', () => {
  const now = 1_795_000_000_000
  const ids = [now, now + 1, now + 60_000].map((at) => createCallId(at, randomBytes))
  expect(ids.toSorted()).toEqual(ids)
  const tails = new Set(
    Array.from({ length: 100 }, () => createCallId(now, randomBytes).slice(-20)),
  )
  expect(tails.size).toBe(100)
  expect(createCallId(now, (length) => new Uint8Array(length).fill(255))).toMatch(
    /^pay_01a1ed5b1600f{20}$|^pay_[0-9a-f]{12}f{20}$/,
  )
})
