import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { confirmationWait } from '../policy/confirmation-wait.ts'
import { confirmSettlement } from '../settlement/confirm-settlement.ts'
import type { ConfirmationsOf } from '../settlement/confirmation-cache.ts'
import {
  checkEarlierSending,
  checkFinality,
  checkWriteOff,
  unlessTransferred,
} from './check-refund.ts'
import { loadPayments } from './load-payments.ts'
import type { HeldRefund, RefundOutcome } from './record-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'
import { isWriteOffRequested } from './resolve-refund.ts'
import { type SignedTransfer, signRefund, unblockRefund } from './sign-refund.ts'
import type { GrantRefund } from './treasury-grant.ts'

/** A refund that may be sent now, as far as reading the chain can tell. */
export type ReadyRefund = SignedTransfer & {
  readonly payments: readonly PaymentRecord[]
  /** The transfer as the round leased it. */
  readonly leased: RefundTransfer
}

export type PreparedRefund =
  | ({ readonly status: 'ready' } & ReadyRefund)
  /** It has to wait, cannot be delivered or was paid already. */
  | ({ readonly status: 'held' } & HeldRefund)
  /** Another replica changed it first. */
  | { readonly status: 'superseded' }

/** What the refunds of one round share. */
export type RoundPorts = RefundPorts & {
  readonly confirmationsOf: ConfirmationsOf
  readonly grantRefund: GrantRefund
}

/**
 * Prepares a refund for sending, or finds the reason why it cannot be sent. Nothing is sent before
 * its signature is in the ledger.
 */
export async function prepareRefund(
  ports: RoundPorts,
  transfer: RefundTransfer,
): Promise<PreparedRefund> {
  if (transfer.status === 'confirmed') {
    const watched = await checkFinality(ports, transfer, ports.confirmationsOf)
    return { status: 'held', transfer, outcome: watched }
  }
  const payments = await loadPayments(ports, transfer)
  const outcome = await findOutcome(ports, transfer, payments)
  if (outcome !== null) return { status: 'held', transfer, payments, outcome }
  const signed = await signRefund(ports, transfer)
  if (signed === undefined) return { status: 'superseded' }
  const obstacle = await probeRefund(ports, signed, payments)
  if (obstacle !== null) {
    return {
      status: 'held',
      transfer: signed.transfer,
      payments,
      outcome: obstacle,
      leased: transfer,
    }
  }
  const ready = await unblockRefund(ports, signed)
  if (ready === undefined) return { status: 'superseded' }
  return { status: 'ready', ...ready, payments, leased: transfer }
}

/** What is known about a refund without signing it; null when it should be signed and sent now. */
async function findOutcome(
  ports: RoundPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome | null> {
  if (isWriteOffRequested(transfer)) return await checkWriteOff(ports, transfer, payments)
  const earlier = await checkEarlierSending(ports, transfer, payments)
  if (earlier !== null) return earlier
  if (ports.policy.maxRefund !== null && transfer.amount > ports.policy.maxRefund) {
    return { status: 'blocked_for_payee', reason: 'refund_cap' }
  }
  const unconfirmed = await checkSettlements(ports, transfer, payments)
  if (unconfirmed !== null) return unconfirmed
  if (!ports.breaker.admits()) return { status: 'blocked_for_system', reason: null }
  const grant = await ports.grantRefund(transfer)
  switch (grant) {
    case 'granted':
      return null
    case 'treasury_empty': {
      const empty: RefundOutcome = { status: 'blocked_for_system', reason: grant }
      return await unlessTransferred(ports, { transfer, payments }, empty)
    }
    case 'hourly_cap':
      ports.breaker.trip(grant)
      return { status: 'blocked_for_system', reason: null }
  }
}

/** A refund never leaves before the payments it comes from are confirmed. */
async function checkSettlements(
  ports: RoundPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome | null> {
  for (const payment of payments) {
    const settlement = await confirmSettlement(ports, payment, ports.confirmationsOf)
    if (settlement.status === 'lost') return withoutSettlement(ports, transfer, payments)
    const { refundConfirmations, refundPollMs: minMs } = ports.policy
    const missing = refundConfirmations - settlement.confirmations
    if (missing > 0) {
      return {
        status: 'retry_later',
        delayMs: confirmationWait(ports.policy, { missing, minMs }),
      }
    }
  }
  return null
}

/**
 * Money that did not arrive is not refunded, though it may still arrive until its authorization
 * expires. A batch of which only a part was lost waits for the operator.
 */
function withoutSettlement(
  { clock }: RefundPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): RefundOutcome {
  const isExpired = transfer.validBefore === null || transfer.validBefore * 1000 < clock()
  const isLostForGood = payments.every(
    ({ settlement, payload }) => settlement === null && payload === null,
  )
  return isLostForGood && isExpired && transfer.status === 'blocked'
    ? { status: 'written_off' }
    : { status: 'blocked_for_payee', reason: 'settlement_lost' }
}

/** Asks the chain whether the refund would pass now, so that no gas is spent on one that would not. */
async function probeRefund(
  ports: RefundPorts,
  { transfer, refund }: SignedTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome | null> {
  const obstacle = await ports.sender.probe(refund)
  if (obstacle === null) return null
  if (obstacle.scope === 'system') {
    ports.breaker.trip(obstacle.reason)
    return { status: 'blocked_for_system', reason: null }
  }
  const blocked: RefundOutcome = { status: 'blocked_for_payee', reason: obstacle.reason }
  // A nonce that is used already reverts too.
  return obstacle.reason === 'reverts'
    ? await unlessTransferred(ports, { transfer, payments }, blocked)
    : blocked
}
