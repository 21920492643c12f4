import { sum } from '@farebox/money'
import type { LedgerEntry } from '../book/ledger-entry.ts'
import {
  ledgerPosition,
  type Movement,
  movementsBetween,
  nothing,
} from '../book/ledger-position.ts'
import type { ChannelPaymentEvent } from '../channel/channel-event.ts'
import { channelEventOf } from '../channel/channel-of-payment.ts'
import type { PaymentEvent } from '../payment/payment-event.ts'
import type { Hex, PaymentRecord } from '../payment/payment-record.ts'
import { TransitionError } from '../payment/transition-error.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import type { PendingRefunds, RefundTransferEvent } from '../store/ledger-store.ts'
import { transition } from './transition.ts'
import { refundEvent, subjectOf, transitionRefundTransfer } from './transition-refund-transfer.ts'

/** What an event writes: the record, its entries and the refund transfer it may create. */
export type PaymentChange = {
  readonly payment: PaymentRecord
  readonly entries: readonly LedgerEntry[]
  readonly transfer: RefundTransfer | null
  /** The event of the payment's channel, if any. */
  readonly channelEvent: ChannelPaymentEvent | null
}

/**
 * Everything that one event writes, for a store to commit in one transaction.
 *
 * @throws {TransitionError} as `transition` does.
 */
export function changePayment(record: PaymentRecord, event: PaymentEvent): PaymentChange {
  const payment = transition(record, event)
  return {
    payment,
    entries: entriesOf(record, payment, event.at),
    transfer: newRefundTransfer(payment, event),
    channelEvent: channelEventOf(record, payment, event.at),
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

/** The double entries of a call as it is held. */
export function holdEntries(call: PaymentRecord): readonly LedgerEntry[] {
  return booked(call, movementsBetween(nothing, ledgerPosition(call)), call.createdAt)
}

/** What an event writes to a refund transfer and to the payments it refunds. */
export type RefundTransferChange = {
  readonly transfer: RefundTransfer
  readonly payments: readonly PaymentChange[]
}

/**
 * Everything that an event of a refund transfer writes. `payments` are those it refunds.
 *
 * @throws {TransitionError} if the event is not allowed, such as signing a refund whose settlement
 * is not proven.
 */
export function changeRefundTransfer(
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
  event: RefundTransferEvent,
): RefundTransferChange {
  const changes = changeRefundedPayments(transfer, payments, event)
  return { transfer: transitionRefundTransfer(transfer, event), payments: changes }
}

/**
 * What an event of a refund transfer writes to the payments it refunds.
 *
 * @throws {TransitionError} as `changeRefundTransfer` does.
 */
export function changeRefundedPayments(
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
  event: RefundTransferEvent,
): readonly PaymentChange[] {
  if (event.type === 'signed' && payments.some((payment) => payment.settlement === null)) {
    throwUnsettled(transfer)
  }
  return payments.flatMap((payment) => {
    const change = payment.refund === null ? null : refundEvent(payment.refund, event)
    return change === null ? [] : [changePayment(payment, change)]
  })
}

/** @throws {TransitionError} `invalid_transition`, always. */
export function throwUnsettled(transfer: RefundTransfer): never {
  throw new TransitionError(subjectOf(transfer), 'signed before its settlement')
}

/** Batches small refunds into one refund transfer; null if one of them is no longer pending. */
export function batchRefunds(
  pending: PendingRefunds,
  payments: readonly PaymentRecord[],
  { nonce, at }: { readonly nonce: Hex; readonly at: number },
): RefundTransferChange | null {
  if (payments.length === 0 || payments.some((payment) => !isAccruing(payment))) return null
  const changes = payments.map((payment) =>
    changePayment(payment, { type: 'refund_assigned', nonce, at }),
  )
  const { payer, chainId, asset, sequence } = pending
  const transfer: RefundTransfer = {
    ...waiting,
    nonce,
    chainId,
    asset,
    payer,
    amount: sum(payments.flatMap(({ refund }) => refund?.amount ?? [])),
    payments: payments.map(({ id }) => id),
    sequence,
    nextAttemptAt: at,
    createdAt: at,
    updatedAt: at,
  }
  return { transfer, payments: changes }
}

/** Whether a payment has a small refund that waits for its batch, and a proven settlement. */
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
  const dueAt = event.refund.kind === 'transfer' ? event.refund.dueAt : undefined
  return {
    ...waiting,
    nonce: refund.nonce,
    chainId: authorization.chainId,
    asset: authorization.asset,
    payer: authorization.from,
    amount: refund.amount,
    payments: [payment.id],
    sequence: null,
    nextAttemptAt: Math.max(event.at, dueAt ?? 0),
    createdAt: event.at,
    updatedAt: event.at,
  }
}

function entriesOf(
  before: PaymentRecord,
  after: PaymentRecord,
  at: number,
): readonly LedgerEntry[] {
  return booked(after, movementsBetween(ledgerPosition(before), ledgerPosition(after)), at)
}

function booked(
  { id }: PaymentRecord,
  movements: readonly Movement[],
  at: number,
): readonly LedgerEntry[] {
  return movements.map(({ debit, credit, amount }) => ({
    paymentId: id,
    debit,
    credit,
    amount,
    at,
  }))
}
