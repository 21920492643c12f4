import type { PaymentEvent } from '../payment/payment-event.ts'
import type { Refund } from '../payment/payment-record.ts'
import { TransitionError } from '../payment/transition-error.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import type { RefundTransferEvent } from '../store/ledger-store.ts'

/**
 * A refund transfer after an event. Payer, amount, nonce and payments never change, and a
 * confirmation on the chain is accepted in every state but `final`. An event that makes the
 * transfer wait also releases its lease.
 *
 * @throws {TransitionError} `invalid_transition` if the event is not allowed in that state. A
 * refund transfer whose last signature has not expired cannot be written off.
 */
export function transitionRefundTransfer(
  transfer: RefundTransfer,
  event: RefundTransferEvent,
): RefundTransfer {
  const changes = changesOf(transfer, event)
  if (changes === null) throw new TransitionError(subjectOf(transfer), event.type)
  return {
    ...transfer,
    ...changes,
    version: transfer.version + 1,
    updatedAt: Math.max(transfer.updatedAt, event.at),
  }
}

/** The event for one of a transfer's refunds; null if the refund does not change. */
export function refundEvent(refund: Refund, event: RefundTransferEvent): PaymentEvent | null {
  const { at } = event
  switch (event.type) {
    case 'signed':
    case 'postponed':
    case 'final':
      return null
    case 'submitted':
      return { type: 'refund_submitted', transaction: event.transaction, at }
    case 'confirmed':
      return { type: 'refund_confirmed', proof: event.proof, at }
    case 'lost':
      return refund.status === 'due' ? null : { type: 'refund_lost', at }
    case 'blocked':
      return refund.status === 'blocked'
        ? null
        : { type: 'refund_blocked', reason: event.reason, at }
    case 'unblocked':
      return { type: 'refund_unblocked', at }
    case 'written_off':
      return { type: 'refund_written_off', at }
  }
}

/** How error messages name a refund transfer. */
export function subjectOf(transfer: RefundTransfer): {
  readonly id: string
  readonly status: string
} {
  return { id: `refund transfer ${transfer.nonce}`, status: transfer.status }
}

type Changes = Partial<RefundTransfer> | null

function changesOf(transfer: RefundTransfer, event: RefundTransferEvent): Changes {
  const from = (...allowed: readonly RefundTransfer['status'][]): boolean =>
    allowed.includes(transfer.status)
  switch (event.type) {
    case 'signed':
      return from('waiting', 'signed') ? signed(transfer, event) : null
    case 'submitted':
      return from('signed', 'submitted') ? submitted(transfer, event) : null
    case 'confirmed':
      return from('final') ? null : confirmed(transfer, event)
    case 'final':
      return from('confirmed') ? { status: 'final', lease: null } : null
    case 'lost':
      return from('signed', 'submitted', 'confirmed') ? { ...unsent, status: 'waiting' } : null
    case 'blocked':
      return from('waiting', 'signed', 'submitted', 'blocked') ? blocked(transfer, event) : null
    case 'postponed':
      return from('final', 'written_off') ? null : postponed(transfer, event.nextAttemptAt)
    case 'unblocked':
      return from('blocked', 'written_off') ? unblocked(event.at) : null
    case 'written_off':
      return from('blocked') && isSignatureExpired(transfer, event.at)
        ? { status: 'written_off', lease: null }
        : null
  }
}

/** `validBefore` stays: until then, a signature that was handed out can still execute. */
const unsent = { signature: null, transaction: null, proof: null } as const

function signed(
  transfer: RefundTransfer,
  event: Extract<RefundTransferEvent, { type: 'signed' }>,
): Changes {
  return {
    status: 'signed',
    signature: event.signature,
    validBefore: Math.max(event.validBefore, transfer.validBefore ?? 0),
    signedAt: transfer.signedAt ?? event.at,
  }
}

function submitted(
  transfer: RefundTransfer,
  { transaction, nextAttemptAt }: Extract<RefundTransferEvent, { type: 'submitted' }>,
): Changes {
  return {
    attempts: transfer.attempts + 1,
    ...(nextAttemptAt !== undefined && postponed(transfer, nextAttemptAt)),
    status: 'submitted',
    transaction,
  }
}

function confirmed(
  transfer: RefundTransfer,
  { proof, nextAttemptAt }: Extract<RefundTransferEvent, { type: 'confirmed' }>,
): Changes {
  return {
    ...(nextAttemptAt !== undefined && postponed(transfer, nextAttemptAt)),
    status: 'confirmed',
    proof,
    transaction: proof.transaction,
    reason: null,
  }
}

function blocked(
  transfer: RefundTransfer,
  event: Extract<RefundTransferEvent, { type: 'blocked' }>,
): Changes {
  return {
    ...postponed(transfer, event.nextAttemptAt),
    status: 'blocked',
    reason: event.reason,
  }
}

function postponed(transfer: RefundTransfer, nextAttemptAt: number): Partial<RefundTransfer> {
  return { nextAttemptAt, attempts: transfer.attempts + 1, lease: null }
}

function unblocked(at: number): Changes {
  return { ...unsent, status: 'waiting', reason: null, attempts: 0, nextAttemptAt: at, lease: null }
}

function isSignatureExpired({ validBefore }: RefundTransfer, at: number): boolean {
  return validBefore === null || validBefore * 1000 < at
}
