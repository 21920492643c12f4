import { atomicUsdc } from '@farebox/money'
import { newPayment, proof, refundNonce, start } from '../../src/conformance/fixtures.ts'
import type { PaymentEvent, PaymentRecord } from '../../src/index.ts'
import { claimedRecord, transition } from '../../src/store.ts'

/** One event of each type, all at the same time; the service costs 400 of 1,000. */
export const events = {
  settlement_unknown: { type: 'settlement_unknown', reason: 'timeout', hint: null, at: start + 1 },
  settlement_proven: { type: 'settlement_proven', proof: proof(1), at: start + 1 },
  settlement_rejected: { type: 'settlement_rejected', reason: 'insufficient_funds', at: start + 1 },
  settlement_final: { type: 'settlement_final', at: start + 1 },
  settlement_lost: { type: 'settlement_lost', at: start + 1 },
  authorization_expired: { type: 'authorization_expired', at: start + 1 },
  service_started: { type: 'service_started', at: start + 1 },
  service_completed: {
    type: 'service_completed',
    cost: atomicUsdc(400n),
    usage: null,
    refund: { kind: 'transfer', nonce: refundNonce(1) },
    at: start + 1,
  },
  service_failed: {
    type: 'service_failed',
    reason: 'upstream_failed',
    refund: { kind: 'transfer', nonce: refundNonce(1) },
    at: start + 1,
  },
  refund_assigned: { type: 'refund_assigned', nonce: refundNonce(9), at: start + 1 },
  refund_submitted: { type: 'refund_submitted', transaction: '0xfeed', at: start + 1 },
  refund_confirmed: { type: 'refund_confirmed', proof: proof(2, 130), at: start + 1 },
  refund_lost: { type: 'refund_lost', at: start + 1 },
  refund_blocked: { type: 'refund_blocked', reason: 'blacklisted_payee', at: start + 1 },
  refund_unblocked: { type: 'refund_unblocked', at: start + 1 },
  refund_written_off: { type: 'refund_written_off', at: start + 1 },
} as const satisfies Record<PaymentEvent['type'], PaymentEvent>

export type EventName = keyof typeof events

const completedWithBatch: PaymentEvent = {
  ...events.service_completed,
  refund: { kind: 'batch' },
}

/** A claimed payment after these events. */
export function after(...path: readonly (EventName | PaymentEvent)[]): PaymentRecord {
  return path
    .map((step) => (typeof step === 'string' ? events[step] : step))
    .reduce(transition, claimedRecord(newPayment(1)))
}

const settled = ['settlement_proven'] as const
const serving = [...settled, 'service_started'] as const
const completed = [...serving, 'service_completed'] as const

/** A payment in each state, by a descriptive name. */
export const samples = {
  settling: after(),
  unknown: after('settlement_unknown'),
  settled: after(...settled),
  'settled, final': after(...settled, 'settlement_final'),
  'settled, late': after('settlement_rejected', 'settlement_proven'),
  serving: after(...serving),
  'serving, lost': after(...serving, 'settlement_lost'),
  rejected: after('settlement_rejected'),
  void: after('authorization_expired'),
  'completed, accruing': after(...serving, completedWithBatch),
  'completed, due': after(...completed),
  'completed, submitted': after(...completed, 'refund_submitted'),
  'completed, confirmed': after(...completed, 'refund_confirmed'),
  'completed, blocked': after(...completed, 'refund_blocked'),
  'completed, written off': after(...completed, 'refund_blocked', 'refund_written_off'),
  'completed, lost': after(...completed, 'settlement_lost'),
  'completed, loss booked': after(...completed, 'settlement_lost', 'authorization_expired'),
  'completed, all spent': after(...serving, {
    ...events.service_completed,
    cost: atomicUsdc(1_000n),
  }),
  failed: after(...serving, 'service_failed'),
} as const satisfies Record<string, PaymentRecord>

export type SampleName = keyof typeof samples
