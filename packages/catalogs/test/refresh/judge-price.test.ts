import { expect, test } from 'vitest'
import type { ChatPriceRecord, RateText } from '../../src/index.ts'
import { judgePrice, type Verdict } from '../../src/refresh/judge-price.ts'
import { basePrice, listedRecord } from './listed-record.ts'

const rates: RateText = { input: '1', output: '2', cacheRead: '0.5', cacheWrite: '1.25' }
const current: ChatPriceRecord = { ...basePrice, rates }

/** The verdict about a model with these prices, by lists that each have its only route. */
function judged(prices: readonly ChatPriceRecord[], ...lists: readonly RateText[]): Verdict {
  const record = listedRecord('a/b', { prices })
  const read = lists.map((listed) => () => listed)
  return judgePrice(record, read, Date.parse('2026-11-21'))
}

test.each([{ input: '1.5' }, { output: '1.5' }, { cacheRead: '0.6' }, { cacheWrite: '1.5' }])(
  'a single rate that changes is a change: %j',
  (change) => {
    expect(judged([current], { ...rates, ...change })).toMatchObject({
      kind: 'changed',
      price: { rates: { ...rates, ...change } },
    })
  },
)

test('equal amounts are the same, however they are written', () => {
  expect(judged([current], { ...rates, input: '1.00' })).toEqual({ kind: 'same' })
})

test('of two lists with one route, the higher rates count', () => {
  const [low, high] = [
    { ...rates, output: '3' },
    { ...rates, input: '1.2' },
  ]
  const expected = { kind: 'changed', price: { rates: { ...rates, input: '1.2', output: '3' } } }
  expect(judged([current], low, high)).toMatchObject(expected)
})

test.each([
  [
    { input: '3', output: '6' },
    { input: '1', output: '2' },
  ],
  [
    { input: '1', output: '2' },
    { input: '3', output: '6' },
  ],
])('a change by a factor of three is accepted: from %j to %j', (from, to) => {
  expect(judged([{ ...current, rates: from }], to)).toMatchObject({
    kind: 'changed',
    price: { rates: to },
  })
})

test('rates with the wrong unit are refused, also within the factor of three', () => {
  const cheap = { ...current, rates: { input: '0.0015', output: '0.003' } }
  expect(judged([cheap], { input: '0.0009', output: '0.003' })).toMatchObject({
    kind: 'refused',
    reason: 'the rates are not plausible as USD per 1,000,000 tokens',
  })
})

test('a price that rose above a ceiling falls to it, and not below', () => {
  const ceiling: ChatPriceRecord = { ...current, basis: 'ceiling', effectiveFrom: '2026-11-21' }
  const risen: ChatPriceRecord = {
    ...current,
    effectiveFrom: '2026-11-21',
    basis: 'refresh',
    rates: { ...rates, input: '1.5', output: '3' },
  }
  const listed = { ...rates, input: '0.8', output: '2.5' }
  expect(judged([ceiling, risen], listed)).toMatchObject({
    kind: 'changed',
    price: { rates: { ...rates, output: '2.5' } },
  })
})
