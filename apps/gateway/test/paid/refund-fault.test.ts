import { LedgerError } from '@farebox/ledger'
import type { PaymentGate } from '@farebox/payments'
import { expect, test } from 'vitest'
import { createRefundFault } from '../../src/paid/failure/refund-fault.ts'
import { openRoute, payment, signed } from './open-route.ts'

/** The answer to a paid request whose service ends with this fault, and what was done about it. */
async function faulted(fault: Error) {
  const reported: unknown[] = []
  const failed: string[] = []
  const fail: PaymentGate['fail'] = async ({ id }) => {
    failed.push(id)
    return { payment, headers: {} }
  }
  const { ask } = await openRoute({
    gate: { begin: async () => ({ status: 'begun', payment }) },
    endpoint: { complete: () => Promise.reject(fault) },
    deps: {
      refundFault: createRefundFault({ gate: { fail }, report: (error) => reported.push(error) }),
    },
  })
  const { status } = await ask(signed, '{}')
  return { status, failed, reported }
}

test('a fault of our own is reported, and its payment fails at once', async () => {
  const fault = new Error('a fault')
  expect(await faulted(fault)).toEqual({ status: 500, failed: [payment.id], reported: [fault] })
})

test('a ledger that is down is reported once, and not asked again: recovery refunds the payment', async () => {
  const fault = new LedgerError('store_unavailable', 'PostgreSQL: connect ECONNREFUSED')
  expect(await faulted(fault)).toEqual({ status: 500, failed: [], reported: [fault] })
})
