import { expect, test } from 'vitest'
import { createGather } from '../../src/scheduling/gather.ts'

/** A gather whose time and whose groups the test ends. */
function open({ maxGroupsInProgress = 24 } = {}) {
  let now = 0
  let setBack = 0
  let timers: { at: number; callback: () => void }[] = []
  const groups: { items: readonly number[]; at: number; end: () => void }[] = []
  const add = createGather<number>({
    timers: {
      after(milliseconds, callback) {
        const timer = { at: now + milliseconds, callback }
        timers.push(timer)
        return () => {
          timers = timers.filter((other) => other !== timer)
        }
      },
    },
    clock: () => now - setBack,
    pausePerItemMs: 25,
    maxPauseMs: 100,
    maxGroupSize: () => 50,
    maxGroupsInProgress,
    run: (items) => new Promise((resolve) => groups.push({ items, at: now, end: () => resolve() })),
  })
  async function pass(milliseconds: number): Promise<void> {
    const until = now + milliseconds
    for (;;) {
      await Promise.resolve()
      const due = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      timers = timers.filter((other) => other !== due)
      now = Math.max(now, due.at)
      due.callback()
    }
    now = until
  }
  return {
    add,
    pass,
    groups,
    sizes: () => groups.map(({ items }) => items.length),
    setBackClock(milliseconds: number) {
      setBack += milliseconds
    },
  }
}

test('one that finds nothing in progress leaves at once, those that arrive soon after together', async () => {
  const { add, pass, groups, sizes } = open()
  add(1)
  await pass(0)
  expect(sizes()).toEqual([1])
  add(2)
  await pass(10)
  add(3)
  await pass(15)
  expect(sizes()).toEqual([1, 2])
  expect(groups[1]?.at).toBe(25)
})

test('while nothing ends, no more groups leave than may be in progress, and all that wait leave together', async () => {
  const { add, pass, groups, sizes } = open({ maxGroupsInProgress: 6 })
  for (let item = 0; item < 100; item += 1) {
    add(item)
    await pass(50)
  }
  expect(groups).toHaveLength(6)
  const left = sizes().reduce((sum, size) => sum + size, 0)
  groups[0]?.end()
  await pass(1_000)
  expect(groups).toHaveLength(7)
  expect(sizes().at(-1)).toBe(Math.min(50, 100 - left))
})

test('the more groups are in progress, the longer is the pause before the next', async () => {
  const { add, pass, groups } = open()
  for (let item = 0; item < 100; item += 1) {
    add(item)
    await pass(10)
  }
  const pauses = groups.slice(1).map(({ at }, index) => at - (groups[index]?.at ?? 0))
  expect(pauses).toEqual([25, 50, 150, 200, 250, 300])
})

test('a clock that is set back by an hour holds up nothing', async () => {
  const { add, pass, groups, sizes, setBackClock } = open()
  add(1)
  add(2)
  await pass(0)
  groups[0]?.end()
  setBackClock(3_600_000)
  add(3)
  await pass(50)
  expect(sizes()).toEqual([2, 1])
})
