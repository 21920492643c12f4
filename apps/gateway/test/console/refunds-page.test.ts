import type { RefundTransfer } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { refundsPage } from '../../src/console/refunds-page.ts'

function shown(reason: string): string {
  const refund = {
    nonce: `0x${'1'.repeat(64)}`,
    payer: `0x${'2'.repeat(40)}`,
    status: 'blocked',
    reason,
    amount: 1653n,
    payments: [],
    createdAt: 0,
    nextAttemptAt: 0,
  } as Pick<RefundTransfer, 'nonce'> as RefundTransfer
  return refundsPage({ status: 'blocked', totals: [], refunds: [refund], unread: [] }).markup
}

test('a refund that the gateway cannot send now says what to do, and is not offered to be written off', () => {
  expect(shown('no_gas')).toContain('no_gas: send ETH to the relayer')
  expect(shown('no_gas')).toContain('/retry')
  expect(shown('no_gas')).not.toContain('/write-off')
})

test('a refund whose payee cannot receive it may be written off', () => {
  expect(shown('blacklisted_payee')).toContain('/write-off')
})
