import { expect, test } from 'vitest'
import { estimateLikely } from '../src/service/estimate-likely.ts'

const estimate = {
  estimatedCost: { usd: '0.002648', note: '' },
  explanation: [
    { label: 'input', quantity: 24, rate_usd: '0.0000003', amount_usd: '0.0000072' },
    { label: 'output', quantity: 2000, rate_usd: '0.0000012', amount_usd: '0.0024' },
    { label: 'buffer', basis_points: 1000, amount_usd: '0.00024072' },
  ],
}

test('a full answer costs the lines without the margin of the maximum, and cost and refund add up to it', () => {
  const { cost, refund } = estimateLikely(estimate, { outputTokens: 2000, minimumCharge: '0.001' })
  expect([cost, refund]).toEqual(['0.002408', '0.000240'])
})

test('a short answer costs the minimum', () => {
  const { cost } = estimateLikely(estimate, { outputTokens: 10, minimumCharge: '0.001' })
  expect(cost).toBe('0.001000')
})

test('the markup of the operator is in the cost', () => {
  const markup = { label: 'markup', basis_points: 5000, amount_usd: '0.0012036' }
  const expensive = {
    estimatedCost: { usd: '0.005', note: '' },
    explanation: [...estimate.explanation, markup],
  }
  const { cost } = estimateLikely(expensive, { outputTokens: 2000, minimumCharge: '0.001' })
  expect(cost).toBe('0.003611')
})

test('nothing costs more than the maximum', () => {
  const { cost, refund } = estimateLikely(estimate, { outputTokens: 2000, minimumCharge: '1' })
  expect([cost, refund]).toEqual(['0.002648', '0.000000'])
})
