import type { PaymentEvent } from '../payment/payment-event.ts'
import type { Refund } from '../payment/payment-record.ts'
import { TransitionError } from '../payment/transition-error.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import type { RefundTransferEvent } from '../store/ledger-store.ts'

/**
 * What a refund transfer becomes by an event. Payer, amount, nonce and members never change, and what the
 * chain says is accepted in every state but `final`. A lease ends when the refund transfer goes back to wait.
 *
 * @throws {TransitionError} `invalid_transition` when the event cannot happen in that state; a
 * refund transfer whose last signature may still pass cannot be written off.
 */
export function transitionRefundTransfer(
  refundTransfer: RefundTransfer,
  event: RefundTransferEvent,
): RefundTransfer {
  const changes = changesOf(refundTransfer, event)
  if (changes === null) throw new TransitionError(refundTransferSubject(refundTransfer), event.type)
  return {
    ...refundTransfer,
    ...changes,
    version: refundTransfer.version + 1,
    updatedAt: Math.max(refundTransfer.updatedAt, event.at),
  }
}

/** What an event of a refund transfer means for the refunds it carries; null when it changes nothing. */
export function shareEvent(refund: Refund, event: RefundTransferEvent): PaymentEvent | null {
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

/** How errors name a refund transfer. */
export function refundTransferSubject(refundTransfer: RefundTransfer): {
  readonly id: string
  readonly status: string
} {
  return { id: `refund transfer ${refundTransfer.nonce}`, status: refundTransfer.status }
}

type Changes = Partial<RefundTransfer> | null

function changesOf(refundTransfer: RefundTransfer, event: RefundTransferEvent): Changes {
  const from = (...allowed: readonly RefundTransfer['status'][]): boolean =>
    allowed.includes(refundTransfer.status)
  switch (event.type) {
    case 'signed':
      return from('waiting', 'signed') ? signed(refundTransfer, event) : null
    case 'submitted':
      return from('signed', 'submitted')
        ? {
            status: 'submitted',
            transaction: event.transaction,
            attempts: refundTransfer.attempts + 1,
          }
        : null
    case 'confirmed':
      return from('final')
        ? null
        : {
            status: 'confirmed',
            proof: event.proof,
            transaction: event.proof.transaction,
            reason: null,
          }
    case 'final':
      return from('confirmed') ? { status: 'final', lease: null } : null
    case 'lost':
      return from('signed', 'submitted', 'confirmed') ? { ...unsent, status: 'waiting' } : null
    case 'blocked':
      return from('waiting', 'signed', 'submitted', 'blocked')
        ? blocked(refundTransfer, event)
        : null
    case 'postponed':
      return from('final', 'written_off') ? null : postponed(refundTransfer, event.nextAttemptAt)
    case 'unblocked':
      return from('blocked', 'written_off') ? unblocked(event.at) : null
    case 'written_off':
      return from('blocked') && isDead(refundTransfer, event.at)
        ? { status: 'written_off', lease: null }
        : null
  }
}

/** `validBefore` stays: until then a signature that was given away may pass. */
const unsent = { signature: null, transaction: null, proof: null } as const

function signed(
  refundTransfer: RefundTransfer,
  event: Extract<RefundTransferEvent, { type: 'signed' }>,
): Changes {
  return {
    status: 'signed',
    signature: event.signature,
    validBefore: Math.max(event.validBefore, refundTransfer.validBefore ?? 0),
    signedAt: refundTransfer.signedAt ?? event.at,
  }
}

function blocked(
  refundTransfer: RefundTransfer,
  event: Extract<RefundTransferEvent, { type: 'blocked' }>,
): Changes {
  return {
    ...postponed(refundTransfer, event.nextAttemptAt),
    status: 'blocked',
    reason: event.reason,
  }
}

function postponed(refundTransfer: RefundTransfer, nextAttemptAt: number): Partial<RefundTransfer> {
  return { nextAttemptAt, attempts: refundTransfer.attempts + 1, lease: null }
}

function unblocked(at: number): Changes {
  return { ...unsent, status: 'waiting', reason: null, attempts: 0, nextAttemptAt: at, lease: null }
}

function isDead({ validBefore }: RefundTransfer, at: number): boolean {
  return validBefore === null || validBefore * 1000 < at
}
