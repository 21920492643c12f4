import { expect, test } from 'vitest'
import { createRandomPool } from '../../src/paywall/random-pool.ts'

test.each([8, 10, 16, 4096, 10_000])('%i bytes at a time never come twice', (length) => {
  const random = createRandomPool()
  const taken = Array.from({ length: 600 }, () => random(length))
  expect(new Set(taken.map((bytes) => bytes.length))).toEqual(new Set([length]))
  expect(new Set(taken.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(600)
})

test('bytes that were given are not those of the next ones', () => {
  const random = createRandomPool()
  const first = random(16)
  const copy = Buffer.from(first)
  first.fill(0)
  expect(Buffer.from(random(16))).not.toEqual(copy)
  expect(first.buffer.byteLength).toBe(16)
})
