import { expect, test, vi } from 'vitest'
import { createBodyBudget } from '../../src/body/body-budget.ts'

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
