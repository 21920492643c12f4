import { atomicUsdc } from '@farebox/money'
import type { LedgerEntry } from '../book/ledger-entry.ts'
import { ledgerPosition, movementsBetween } from '../book/ledger-position.ts'
import type { PaymentEvent } from '../payment/payment-event.ts'
import type { Hex, PaymentRecord } from '../payment/payment-record.ts'
import { TransitionError } from '../payment/transition-error.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import type { Accrual, RefundTransferEvent } from '../store/ledger-store.ts'
import { transition } from './transition.ts'
import {
  refundTransferSubject,
  shareEvent,
  transitionRefundTransfer,
} from './transition-refund-transfer.ts'

/** What an event writes: the record, its entries, and the refund transfer that it may owe from then on. */
export type PaymentChange = {
  readonly payment: PaymentRecord
  readonly entries: readonly LedgerEntry[]
  readonly refundTransfer: RefundTransfer | null
}

/**
 * Everything that one event writes, for a store to commit together.
 *
 * @throws {TransitionError} as `transition` does.
 */
export function changePayment(record: PaymentRecord, event: PaymentEvent): PaymentChange {
  const payment = transition(record, event)
  return {
    payment,
    entries: entriesOf(record, payment, event.at),
    refundTransfer: newRefundTransfer(payment, event),
  }
}

/**
 * The double entries of an event: the movements between the positions before and after it.
 *
 * @throws {TransitionError} as `transition` does.
 */
export function entriesFor(record: PaymentRecord, event: PaymentEvent): readonly LedgerEntry[] {
  return changePayment(record, event).entries
}

/** What an event writes to a refund transfer and to the payments it pays. */
export type RefundTransferChange = {
  readonly refundTransfer: RefundTransfer
  readonly payments: readonly PaymentChange[]
}

/**
 * Everything that an event of a refund transfer writes. `payments` are those that it pays.
 *
 * @throws {TransitionError} when the event cannot happen, the signing of a refund whose settlement
 * is not proven included.
 */
export function changeRefundTransfer(
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
  event: RefundTransferEvent,
): RefundTransferChange {
  if (event.type === 'signed' && payments.some((payment) => payment.settlement === null)) {
    throw new TransitionError(refundTransferSubject(refundTransfer), 'signed before its settlement')
  }
  const changes = payments.flatMap((payment) => {
    const share = payment.refund === null ? null : shareEvent(payment.refund, event)
    return share === null ? [] : [changePayment(payment, share)]
  })
  return { refundTransfer: transitionRefundTransfer(refundTransfer, event), payments: changes }
}

/** Freezes accruing refunds into one refund transfer; null when one of them no longer accrues. */
export function changeAccrual(
  accrual: Accrual,
  payments: readonly PaymentRecord[],
  { nonce, at }: { readonly nonce: Hex; readonly at: number },
): RefundTransferChange | null {
  if (payments.length === 0 || payments.some((payment) => !isAccruing(payment))) return null
  const changes = payments.map((payment) =>
    changePayment(payment, { type: 'refund_assigned', nonce, at }),
  )
  const amount = payments.reduce((sum, { refund }) => sum + (refund?.amount ?? 0n), 0n)
  const { payer, chainId, asset, sequence } = accrual
  const ids = payments.map(({ id }) => id)
  const refundTransfer = {
    ...waiting,
    nonce,
    chainId,
    asset,
    payer,
    amount: atomicUsdc(amount),
    sequence,
  }
  return {
    refundTransfer: {
      ...refundTransfer,
      payments: ids,
      nextAttemptAt: at,
      createdAt: at,
      updatedAt: at,
    },
    payments: changes,
  }
}

/** Whether a refund waits to be added up with others, for money that has come. */
export function isAccruing(payment: PaymentRecord): boolean {
  return payment.refund?.status === 'accruing' && payment.settlement !== null
}

const waiting = {
  version: 1,
  status: 'waiting',
  validBefore: null,
  signature: null,
  signedAt: null,
  transaction: null,
  proof: null,
  reason: null,
  attempts: 0,
  lease: null,
} as const

function newRefundTransfer(payment: PaymentRecord, event: PaymentEvent): RefundTransfer | null {
  if (event.type !== 'service_completed' && event.type !== 'service_failed') return null
  const { refund, authorization } = payment
  if (refund === null || refund.nonce === null) return null
  return {
    ...waiting,
    nonce: refund.nonce,
    chainId: authorization.chainId,
    asset: authorization.asset,
    payer: authorization.from,
    amount: refund.amount,
    payments: [payment.id],
    sequence: null,
    nextAttemptAt: event.at,
    createdAt: event.at,
    updatedAt: event.at,
  }
}

function entriesOf(
  before: PaymentRecord,
  after: PaymentRecord,
  at: number,
): readonly LedgerEntry[] {
  const movements = movementsBetween(ledgerPosition(before), ledgerPosition(after))
  return movements.map((movement) => ({ paymentId: after.id, ...movement, at }))
}
