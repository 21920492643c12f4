import { expect } from 'vitest'
import type { ChaosFigures } from './run-chaos.ts'

/** Something was sold, all of it is accounted for, and each process ended in order. */
export function expectClean(figures: ChaosFigures): void {
  expect(figures.purchases).toBeGreaterThan(0)
  expect(figures).toMatchObject({
    unfinished: [],
    doubled: [],
    lost: 0n,
    unexplained: [],
    faults: [],
  })
  expect(new Set(figures.exitCodes)).toEqual(new Set([0]))
}
