import type { Observer } from '@farebox/payments'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

const alarms: ReadonlySet<string> = new Set([
  'payment_unknown',
  'payment_unsolicited',
  'settlement_lost',
  'refund_lost',
  'refund_blocked',
  'refund_overdue',
  'refund_written_off',
  'refunds_paused',
  'sales_stopped',
  'treasury_low',
  'relayer_low',
  'lease_lost',
  'fault',
])

/** Writes payment events as log lines and metrics, without signatures and payloads. */
export function paymentLog(logger: Logger, metrics: Metrics): Observer {
  return (notice) => {
    metrics.payments.inc({ event: notice.type })
    if (notice.type === 'refunds_paused') metrics.refundsPaused.set(1)
    if (notice.type === 'refunds_resumed') metrics.refundsPaused.set(0)
    if (notice.type === 'sales_stopped') metrics.salesStopped.set({ reason: notice.reason }, 1)
    if (notice.type === 'sales_resumed') metrics.salesStopped.set({ reason: notice.reason }, 0)
    const { type: event } = notice
    const line = {
      event,
      ...('payment' in notice && { paymentId: notice.payment.id, status: notice.payment.status }),
      ...('paymentId' in notice && { paymentId: notice.paymentId }),
      ...('transfer' in notice && {
        payments: notice.transfer.payments,
        refundNonce: notice.transfer.nonce,
        refund: notice.transfer.amount.toString(),
        payer: notice.transfer.payer,
      }),
      ...('reason' in notice && { reason: notice.reason }),
      ...('transaction' in notice && { transaction: notice.transaction }),
      ...('balance' in notice && { balance: String(notice.balance) }),
      ...('minimum' in notice && { minimum: String(notice.minimum) }),
      ...('owed' in notice && { owed: String(notice.owed) }),
      ...(notice.type === 'fault' && { during: notice.during, err: notice.error }),
    }
    if (alarms.has(event)) logger.warn(line)
    else logger.info(line)
  }
}
