import type { PaymentEvent } from '../payment/payment-event.ts'
import type { RefundShare } from '../payment/payment-record.ts'
import { TransitionError } from '../payment/transition-error.ts'
import type { Payout } from '../refund/refund-transfer.ts'
import type { PayoutEvent } from '../store/ledger-store.ts'

/**
 * What a payout becomes by an event. Payer, amount, nonce and members never change, and what the
 * chain says is accepted in every state but `final`. A lease ends when the payout goes back to wait.
 *
 * @throws {TransitionError} `invalid_transition` when the event cannot happen in that state; a
 * payout whose last signature may still pass cannot be written off.
 */
export function transitionPayout(payout: Payout, event: PayoutEvent): Payout {
  const changes = changesOf(payout, event)
  if (changes === null) throw new TransitionError(payoutSubject(payout), event.type)
  return {
    ...payout,
    ...changes,
    version: payout.version + 1,
    updatedAt: Math.max(payout.updatedAt, event.at),
  }
}

/** What an event of a payout means for the refunds it carries; null when it changes nothing. */
export function shareEvent(refund: RefundShare, event: PayoutEvent): PaymentEvent | null {
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

/** How errors name a payout. */
export function payoutSubject(payout: Payout): { readonly id: string; readonly status: string } {
  return { id: `payout ${payout.nonce}`, status: payout.status }
}

type Changes = Partial<Payout> | null

function changesOf(payout: Payout, event: PayoutEvent): Changes {
  const from = (...allowed: readonly Payout['status'][]): boolean => allowed.includes(payout.status)
  switch (event.type) {
    case 'signed':
      return from('waiting', 'signed') ? signed(payout, event) : null
    case 'submitted':
      return from('signed', 'submitted')
        ? { status: 'submitted', transaction: event.transaction, attempts: payout.attempts + 1 }
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
      return from('waiting', 'signed', 'submitted', 'blocked') ? blocked(payout, event) : null
    case 'postponed':
      return from('final', 'written_off') ? null : postponed(payout, event.nextAttemptAt)
    case 'unblocked':
      return from('blocked', 'written_off') ? unblocked(event.at) : null
    case 'written_off':
      return from('blocked') && isDead(payout, event.at)
        ? { status: 'written_off', lease: null }
        : null
  }
}

/** `validBefore` stays: until then a signature that was given away may pass. */
const unsent = { signature: null, transaction: null, proof: null } as const

function signed(payout: Payout, event: Extract<PayoutEvent, { type: 'signed' }>): Changes {
  return {
    status: 'signed',
    signature: event.signature,
    validBefore: Math.max(event.validBefore, payout.validBefore ?? 0),
    signedAt: payout.signedAt ?? event.at,
  }
}

function blocked(payout: Payout, event: Extract<PayoutEvent, { type: 'blocked' }>): Changes {
  return { ...postponed(payout, event.nextAttemptAt), status: 'blocked', reason: event.reason }
}

function postponed(payout: Payout, nextAttemptAt: number): Partial<Payout> {
  return { nextAttemptAt, attempts: payout.attempts + 1, lease: null }
}

function unblocked(at: number): Changes {
  return { ...unsent, status: 'waiting', reason: null, attempts: 0, nextAttemptAt: at, lease: null }
}

function isDead({ validBefore }: Payout, at: number): boolean {
  return validBefore === null || validBefore * 1000 < at
}
