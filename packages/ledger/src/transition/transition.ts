import { atomicUsdc, type Usdc } from '@farebox/money'
import { isOverlapping } from '../payment/is-overlapping.ts'
import { isUndecided } from '../payment/is-undecided.ts'
import type { PaymentEvent, RefundPlan } from '../payment/payment-event.ts'
import type { PaymentRecord, Refund } from '../payment/payment-record.ts'
import { reconcile } from '../payment/reconcile.ts'
import { TransitionError } from '../payment/transition-error.ts'
import { type RefundEvent, transitionRefund } from './transition-refund.ts'

/**
 * A payment after an event: the whole state machine. No payment is ever served twice, because
 * `serving` is reached only with or after the proof, and no event leads back.
 *
 * @throws {TransitionError} `invalid_transition` if the event is not allowed in that state, or if
 * the cost is negative or above the amount paid.
 */
export function transition(record: PaymentRecord, event: PaymentEvent): PaymentRecord {
  const changes = changesOf(record, event)
  if (changes === null) throw new TransitionError(record, event.type)
  return {
    ...record,
    ...changes,
    version: record.version + 1,
    updatedAt: Math.max(record.updatedAt, event.at),
  }
}

/** Whether the payment's one upstream call may be made. */
export function isServable(record: PaymentRecord): boolean {
  return record.status === 'settled' && record.settlement !== null && record.reason === null
}

type Of<Type extends PaymentEvent['type']> = Extract<PaymentEvent, { type: Type }>
type Changes = Partial<PaymentRecord> | null

function changesOf(record: PaymentRecord, event: PaymentEvent): Changes {
  switch (event.type) {
    case 'settlement_unknown':
      return settlementUnknown(record, event)
    case 'settlement_proven':
      return settlementProven(record, event)
    case 'settlement_rejected':
      return settlementRejected(record, event)
    case 'settlement_final':
      return settlementFinal(record)
    case 'settlement_lost':
      return settlementLost(record)
    case 'authorization_expired':
      return authorizationExpired(record)
    case 'service_started':
      return isServable(record) ? { status: 'serving' } : null
    case 'service_completed':
      return serviceCompleted(record, event)
    case 'service_failed':
      return serviceFailed(record, event)
    case 'refund_assigned':
    case 'refund_submitted':
    case 'refund_confirmed':
    case 'refund_lost':
    case 'refund_blocked':
    case 'refund_unblocked':
    case 'refund_written_off':
      return refundChanges(record, event)
  }
}

function settlementUnknown(record: PaymentRecord, event: Of<'settlement_unknown'>): Changes {
  if (!isUndecided(record)) return null
  return {
    status: 'unknown',
    reason: isOverlapping(record) ? record.reason : event.reason,
    settlementHint: event.hint ?? record.settlementHint,
  }
}

function settlementProven(record: PaymentRecord, event: Of<'settlement_proven'>): Changes {
  if (record.kind !== 'sale') return depositProven(record, event)
  const settlement = event.proof
  switch (record.status) {
    case 'settling':
    case 'unknown': {
      if (settlement.block <= record.intentBlock) {
        return { status: 'settled', settlement, reason: 'unsolicited_transfer' }
      }
      if (event.begins === true) return { status: 'serving', settlement, reason: null }
      // The process that started the service has stopped.
      return { status: 'settled', settlement, reason: isOverlapping(record) ? record.reason : null }
    }
    case 'rejected':
    case 'void':
      return { status: 'settled', settlement, reason: 'late_transfer' }
    case 'settled':
    case 'serving':
    case 'completed':
    case 'failed':
      return { settlement, settlementFinal: false }
  }
}

/**
 * A deposit is the payer's money in its channel, even if another party sent it or it arrived late.
 */
function depositProven(
  { kind, authorization }: PaymentRecord,
  event: Of<'settlement_proven'>,
): Changes {
  if (kind !== 'channel_deposit') return null
  const paid = { status: 'completed', cost: authorization.value, reason: null } as const
  return { ...paid, settlement: event.proof, settlementFinal: false }
}

/** A rejected payment is never sent again, and its identifier can be used for another attempt. */
function settlementRejected(record: PaymentRecord, event: Of<'settlement_rejected'>): Changes {
  if (!isUndecided(record)) return null
  return { status: 'rejected', reason: event.reason, payload: null, clientPaymentId: null }
}

function settlementFinal(record: PaymentRecord): Changes {
  return record.settlement === null || record.settlementFinal
    ? null
    : { settlementFinal: true, payload: null }
}

function settlementLost(record: PaymentRecord): Changes {
  if (record.settlement === null) return null
  const vanished = {
    settlement: null,
    settlementFinal: false,
    settlementHint: record.settlement.transaction,
  }
  if (record.status !== 'settled') return vanished
  // `unknown` can become servable again, so a payment that must not be served is rejected instead.
  return record.reason === null
    ? { ...vanished, status: 'unknown', reason: 'settlement_lost' }
    : { ...vanished, status: 'rejected' }
}

function authorizationExpired(record: PaymentRecord): Changes {
  const ended = { payload: null, clientPaymentId: null }
  switch (record.status) {
    case 'settling':
    case 'unknown':
      return { ...ended, status: 'void', reason: 'authorization_expired' }
    case 'rejected':
      return { ...ended, status: 'void' }
    case 'completed':
    case 'failed':
      if (record.settlement !== null || record.payload === null) return null
      return { payload: null, reason: 'settlement_lost', refund: withoutClaim(record.refund) }
    case 'settled':
    case 'serving':
    case 'void':
      return null
  }
}

/** Money that never arrived is not owed. A refund that has a transfer ends with that transfer. */
function withoutClaim(refund: Refund | null): Refund | null {
  return refund?.status === 'accruing' ? { ...refund, status: 'written_off' } : refund
}

function serviceCompleted(record: PaymentRecord, event: Of<'service_completed'>): Changes {
  const { cost, refund } = reconcile(record.authorization.value, event.cost)
  if (record.status !== 'serving' || cost !== event.cost) return null
  const { usage, providerCost = null, model = record.model } = event
  return {
    status: 'completed',
    model,
    cost,
    usage,
    providerCost,
    refund: owed(record, refund, event.refund),
    reason: null,
  }
}

function serviceFailed(record: PaymentRecord, event: Of<'service_failed'>): Changes {
  if (record.status !== 'serving' && record.status !== 'settled') return null
  const refund = owed(record, record.authorization.value, event.refund)
  return { status: 'failed', cost: atomicUsdc(0n), refund, reason: event.reason }
}

function owed({ kind }: PaymentRecord, amount: Usdc, plan: RefundPlan): Refund | null {
  if (amount === 0n) return null
  if (kind === 'channel_call') return { amount, status: 'released', nonce: null, transaction: null }
  switch (plan.kind) {
    case 'transfer':
      return { amount, status: 'due', nonce: plan.nonce, transaction: null }
    case 'batch':
      return { amount, status: 'accruing', nonce: null, transaction: null }
  }
}

function refundChanges(record: PaymentRecord, event: RefundEvent): Changes {
  const refund = record.refund === null ? null : transitionRefund(record.refund, event)
  return refund === null ? null : { refund }
}
