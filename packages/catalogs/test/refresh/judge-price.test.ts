import { expect, test } from 'vitest'
import type { ChatPriceRecord } from '../../src/index.ts'
import { judgePrice } from '../../src/refresh/judge-price.ts'

const ceiling: ChatPriceRecord = {
  effectiveFrom: '2026-11-10',
  basis: 'ceiling',
  source: 'test',
  rates: { input: '1', output: '2' },
  tiers: [],
}

test('a price that rose above a ceiling falls to it, and not below', () => {
  const risen: ChatPriceRecord = {
    ...ceiling,
    effectiveFrom: '2026-11-20',
    basis: 'refresh',
    rates: { input: '1.5', output: '3' },
  }
  const record = {
    id: 'at/ceiling',
    name: 'One',
    description: 'One',
    maker: 'at',
    contextLength: 100_000,
    maxOutputTokens: 10_000,
    inputModalities: ['text'],
    reasoning: 'none',
    accepts: 'open',
    counter: 'generic',
    routes: [{ provider: 'openrouter', model: 'at/ceiling' }],
    prices: [ceiling, risen],
  } as const
  const list = () => ({ input: '0.8', output: '2.5' })
  const verdict = judgePrice(record, [list], Date.parse('2026-11-21'))
  expect(verdict).toMatchObject({
    kind: 'changed',
    price: { rates: { input: '1', output: '2.5' } },
  })
})
