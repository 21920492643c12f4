import { describe, expect, test, vi } from 'vitest'
import { createBodyBudget } from '../../src/body/body-budget.ts'

test.each<[string, () => unknown]>([
  ['bytes must be at least 0, and is NaN', () => createBodyBudget(Number.NaN)],
  [
    'maxBytes must be at least 0, and is 1mb',
    () => createBodyBudget(1, { maxBytes: '1mb' as never }),
  ],
  ['a body budget has no limit maxByte', () => createBodyBudget(1, { maxByte: 1 } as never)],
])('a budget that would limit nothing is refused: %s', (message, create) => {
  expect(create).toThrow(new RangeError(message))
})

test('a body that has arrived is not evicted for a smaller one', () => {
  const budget = createBodyBudget(100, { maxBytes: 100 })
  const large = budget.hold('203.0.113.1')
  const evict = vi.fn()
  large.arrive(evict)
  expect(large.grow(90)).toBe('held')
  large.keep()
  const small = budget.hold('203.0.113.2')
  expect(small.grow(20)).toBe('service_full')
  expect(evict).not.toHaveBeenCalled()
  large.release()
  expect(small.grow(20)).toBe('held')
})

test('as many bodies are evicted as a smaller one needs, the largest first', () => {
  const budget = createBodyBudget(100, { maxBytes: 100 })
  const lost: number[] = []
  for (const size of [30, 20, 40]) {
    const body = budget.hold(`203.0.113.${size}`)
    body.arrive(() => lost.push(size))
    body.grow(size)
  }
  expect(budget.hold('203.0.113.1').grow(25)).toBe('held')
  expect(lost).toEqual([40])
  expect(budget.hold('203.0.113.2').grow(28)).toBe('held')
  expect(lost).toEqual([40, 30])
  expect(budget.hold('203.0.113.3').grow(28)).toBe('service_full')
})

describe('bodies in use', () => {
  const limits = { maxBytes: 40, inUseBytes: 100, clientShare: 0.4, uncountedBytes: 10 }

  test('count until their requests have ended', async () => {
    const budget = createBodyBudget(1_000, limits)
    const { promise: ended, resolve } = Promise.withResolvers<undefined>()
    const use = (client: string) => budget.use(client, { bytes: 40, ended: () => ended })
    expect(use('203.0.113.1')).toBe('held')
    expect(use('203.0.113.1')).toBe('client_full')
    expect(use('203.0.113.2')).toBe('held')
    expect(use('203.0.113.3')).toBe('service_full')
    resolve(undefined)
    await ended
    expect(use('203.0.113.3')).toBe('held')
  })

  test('that are small always fit', () => {
    const budget = createBodyBudget(1_000, { ...limits, inUseBytes: 0, maxBytes: 0 })
    const { promise: ended } = Promise.withResolvers<undefined>()
    const use = (bytes: number) => budget.use('203.0.113.1', { bytes, ended: () => ended })
    expect([use(10), use(10), use(11)]).toEqual(['held', 'held', 'client_full'])
  })
})
