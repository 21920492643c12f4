import type { Logger } from '@farebox/http/log'
import type { Observer, PaymentNotice } from '@farebox/payments'
import { paymentAlarms } from './alarms.ts'
import { createFaultLog } from './fault-log.ts'

const alarms: ReadonlySet<string> = new Set(paymentAlarms)

/** Events that only set metrics. */
const unlogged: ReadonlySet<string> = new Set(['balances_read', 'gas_paid'])

/** What a line has as it is, and amounts as text. Other fields may have signatures. */
const plainFields = [
  'paymentId',
  'channelId',
  'payer',
  'by',
  'kind',
  'reason',
  'transaction',
  'nonce',
  'amount',
  'balance',
  'minimum',
  'owed',
  'claimed',
  'refused',
  'waiting',
] as const

/** Writes payment events as log lines, without signatures and payloads. `now` is in milliseconds. */
export function paymentLog(logger: Logger, now: () => number): Observer {
  const logFault = createFaultLog({ logger, now })
  return (notice) => {
    if (notice.type === 'fault') return logFault(notice)
    if (unlogged.has(notice.type)) return
    const line = { event: notice.type, ...subjectOf(notice), ...plainOf({ ...notice }) }
    if (alarms.has(notice.type)) logger.warn(line)
    else logger.info(line)
  }
}

/** The payment, refund or channel that the event is about. */
function subjectOf(notice: PaymentNotice): Readonly<Record<string, unknown>> {
  if ('payment' in notice) return { paymentId: notice.payment.id, status: notice.payment.status }
  if ('transfer' in notice) {
    const { payments, nonce, amount, payer } = notice.transfer
    return { payments, refundNonce: nonce, refund: amount.toString(), payer }
  }
  if (!('channel' in notice)) return {}
  const { id, config, charged } = notice.channel
  const isReturned = 'by' in notice
  return {
    channelId: id,
    payer: config.payer,
    ...(isReturned && { charged: charged.toString() }),
  }
}

function plainOf(notice: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    plainFields
      .filter((name) => notice[name] !== undefined)
      .map((name) => {
        const value = notice[name]
        return [name, typeof value === 'bigint' ? value.toString() : value]
      }),
  )
}
