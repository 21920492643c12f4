import { LedgerError, type PaymentRecord } from '@farebox/ledger'
import type { PaymentGate } from '@farebox/payments'
import { sendFailure } from '../error-event.ts'
import type { PaidCall, PaidEndpoint } from '../paid-endpoint.ts'

/** Ends a paid request that failed by a fault of the gateway: everything is refunded. */
export type RefundFault = (
  error: unknown,
  call: PaidCall,
  endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>,
) => Promise<void>

export type RefundFaultOptions = {
  readonly gate: Pick<PaymentGate, 'fail'>
  readonly report: (error: unknown, payment: PaymentRecord) => void
}

/**
 * Refunds in full what a fault left in state `serving`. If that fails too, recovery finds the
 * payment by its lease and refunds it. A ledger that was down for the whole time that a write is retried
 * is not asked again: the client has waited long enough.
 */
export function createRefundFault({ gate, report }: RefundFaultOptions): RefundFault {
  return async function refundFault(error, { payment, response, observation }, endpoint) {
    report(error, payment)
    if (!isLedgerDown(error)) {
      try {
        const failed = await gate.fail(payment, { reason: 'internal_error', answer: null })
        observation.setPayment(failed.payment)
        if (!response.headersSent) response.set(failed.headers)
      } catch (second) {
        report(second, payment)
      }
    }
    const message = `The service failed. Payment ${payment.id} is refunded in full.`
    sendFailure(response, endpoint.errorResponse({ status: 500, code: 'internal_error', message }))
  }
}

function isLedgerDown(error: unknown): boolean {
  return error instanceof LedgerError && error.code === 'store_unavailable'
}
