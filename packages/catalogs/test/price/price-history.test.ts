import { expect, test } from 'vitest'
import { appended } from '../../scripts/price-history.ts'
import { higherTable, tableOf } from '../../scripts/price-table.ts'
import type { ChatPriceRecord } from '../../src/index.ts'

const price = (effectiveFrom: string, input: string): ChatPriceRecord => ({
  effectiveFrom,
  basis: 'maker',
  source: `list of ${effectiveFrom}`,
  rates: { input, output: '1' },
  tiers: [],
})

const published = [price('2026-11-10', '1'), price('2027-01-01', '2')]

test('a new price is appended with its date', () => {
  const next = price('2026-12-01', '3')
  expect(appended('a/b', published, [next])).toEqual([published[0], next, published[1]])
})

test('the same price on a later date is not a new price', () => {
  expect(appended('a/b', published, [price('2026-12-01', '1')])).toEqual(published)
  expect(appended('a/b', published, published)).toEqual(published)
})

test('a published price cannot change', () => {
  expect(() => appended('a/b', published, [price('2026-11-10', '9')])).toThrow(
    'a/b: the price of 2026-11-10 is published and cannot change',
  )
})

const listed = (cost: object): ReturnType<typeof tableOf> =>
  tableOf({
    type: 'chat',
    id: 'm',
    name: 'M',
    reasoning: false,
    input: ['text'],
    contextWindow: 1,
    maxTokens: 1,
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, ...cost },
  })

test('zero in a list is unknown, and a number keeps its digits', () => {
  expect(listed({ input: 0.079605 })).toEqual({
    rates: { input: '0.079605', output: '2' },
    tiers: [],
  })
})

test('the higher of two tables is at least as high at every size', () => {
  const tier = { inputTokensAbove: 200_000, input: 2, output: 3, cacheRead: 0.2, cacheWrite: 0 }
  const maker = listed({ cacheRead: 0.1, tiers: [tier] })
  const router = listed({ input: 1.5, output: 1, cacheRead: 0.05, cacheWrite: 1.75 })
  expect(higherTable(maker, router)).toEqual({
    rates: { input: '1.5', output: '2', cacheRead: '0.1', cacheWrite: '1.75' },
    tiers: [{ fromInputTokens: 200_000, rates: { input: '2', output: '3', cacheRead: '0.2' } }],
  })
})

test('a cache discount in only one of two tables is dropped', () => {
  expect(higherTable(listed({ cacheRead: 0.1 }), listed({})).rates).toEqual({
    input: '1',
    output: '2',
  })
})
