import type { SignedPayment } from '@farebox/payments/wire'
import { expect, test } from 'vitest'
import { createSettlementGroups } from '../../src/facilitators/settlement-groups.ts'
import { systemTimers } from '../../src/scheduling/timers.ts'
import { until } from '../support/test-paywall.ts'

function paymentOf(nonce: number): SignedPayment {
  const authorization = { from: '0xa1', nonce: `0x${nonce}` }
  return { authorization } as unknown as SignedPayment
}

/** Groups of one payment, on a chain that mines nothing until `mine` is called. */
function openGroups() {
  const sent: SignedPayment[] = []
  const { promise: mining, resolve: mine } = Promise.withResolvers<undefined>()
  const groups = createSettlementGroups({
    timers: systemTimers,
    clock: Date.now,
    groupSize: 1,
    probe: async (payments) => payments.map(() => ({ status: 'passes' })),
    async send(payments) {
      sent.push(...payments)
      return { status: 'sent', transaction: '0x7a' }
    },
    async mined(transaction, payments) {
      await mining
      return { transaction, transferred: new Set(payments) }
    },
  })
  return { groups, sent, mine }
}

test('while the chain mines nothing, no more than 96 transactions wait, and what no request waits for is not sent', async () => {
  const { groups, sent, mine } = openGroups()
  const payments = Array.from({ length: 104 }, (_, nonce) => paymentOf(nonce))
  const settling = payments.map((payment) => groups.settle(payment))
  await until(() => Promise.resolve(sent.length === 96))
  settling[0]?.withdraw()
  settling[99]?.withdraw()
  expect(await settling[99]?.outcome).toEqual({
    status: 'unknown',
    reason: 'deadline',
    transaction: null,
  })
  expect(sent).toHaveLength(96)

  mine(undefined)
  const outcomes = await Promise.all(settling.map(({ outcome }) => outcome))
  const settled = outcomes.filter((each) => each !== 'has_code' && each.status === 'settled')
  expect(settled).toHaveLength(103)
  expect(sent).toEqual(payments.filter((_, index) => index !== 99))
})
