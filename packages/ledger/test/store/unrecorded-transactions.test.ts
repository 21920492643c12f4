import { type GasOfDay, unrecordedTransactions } from '@farebox/ledger'
import { expect, test } from 'vitest'

const day: GasOfDay = {
  day: 0,
  sender: '0xaa',
  purpose: 'settlement',
  transactions: 3,
  reverted: 0,
  gas: 1n,
  fee: 1n,
  firstNonce: 4,
  lastNonce: 8,
}

test('nonces between recorded transactions that are not recorded are counted, sender by sender', () => {
  expect(unrecordedTransactions([])).toBe(0)
  expect(unrecordedTransactions([day])).toBe(2)
  const refunds = { ...day, purpose: 'refund', transactions: 2, firstNonce: 5 } as const
  expect(unrecordedTransactions([day, refunds])).toBe(0)
  const later = { ...refunds, day: 1, transactions: 1, firstNonce: 11, lastNonce: 11 } as const
  expect(unrecordedTransactions([day, refunds, later])).toBe(2)
  expect(unrecordedTransactions([day, refunds, { ...later, sender: '0xbb' }])).toBe(0)
})
