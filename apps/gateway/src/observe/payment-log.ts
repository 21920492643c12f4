import type { Logger } from '@farebox/http/log'
import type { Observer } from '@farebox/payments'
import { paymentAlarms } from './alarms.ts'
import { createFaultLog } from './fault-log.ts'

const alarms: ReadonlySet<string> = new Set(paymentAlarms)

/** Events that only set metrics. */
const unlogged: ReadonlySet<string> = new Set(['balances_read', 'gas_paid'])

/** Writes payment events as log lines, without signatures and payloads. `now` is in milliseconds. */
export function paymentLog(logger: Logger, now: () => number): Observer {
  const logFault = createFaultLog({ logger, now })
  return (notice) => {
    const { type: event } = notice
    if (notice.type === 'fault') return logFault(notice)
    if (unlogged.has(event)) return
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
      ...('channel' in notice && {
        channelId: notice.channel.id,
        payer: notice.channel.config.payer,
      }),
      ...(notice.type === 'channels_claimed' && {
        claimed: notice.claimed,
        refused: notice.refused,
        waiting: notice.waiting,
      }),
      ...('channelId' in notice && { channelId: notice.channelId }),
      ...('payer' in notice && { payer: notice.payer }),
      ...('by' in notice && { by: notice.by, charged: notice.channel.charged.toString() }),
      ...('kind' in notice && { kind: notice.kind }),
      ...('amount' in notice && { amount: notice.amount.toString() }),
      ...('reason' in notice && { reason: notice.reason }),
      ...('transaction' in notice && { transaction: notice.transaction }),
      ...('nonce' in notice && { nonce: notice.nonce }),
      ...('balance' in notice && { balance: String(notice.balance) }),
      ...('minimum' in notice && { minimum: String(notice.minimum) }),
      ...('owed' in notice && { owed: String(notice.owed) }),
    }
    if (alarms.has(event)) logger.warn(line)
    else logger.info(line)
  }
}
