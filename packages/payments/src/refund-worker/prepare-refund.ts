import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { SignedRefund } from '../chain/chain.ts'
import { confirmSettlement } from '../settlement/confirm-settlement.ts'
import type { ConfirmationsOf } from '../settlement/confirmation-cache.ts'
import { readRefund } from './read-refund.ts'
import { recordOutcome } from './record-outcome.ts'
import type { RefundOutcome } from './refund-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'
import { signRefund, unblockRefund } from './sign-refund.ts'
import type { GrantRefund } from './treasury-grant.ts'

/** A refund that may be sent now, as far as reading the chain can tell. */
export type ReadyRefund = {
  readonly transfer: RefundTransfer
  readonly refund: SignedRefund
  readonly payments: readonly PaymentRecord[]
}

type PrepareRound = {
  readonly payments: readonly PaymentRecord[]
  readonly confirmationsOf: ConfirmationsOf
  readonly grantRefund: GrantRefund
}

/**
 * Brings a refund to the point where it can be sent; undefined when it has to wait, cannot be
 * delivered or was paid already. Nothing is sent before its signature is in the ledger.
 */
export async function prepareRefund(
  ports: RefundPorts,
  transfer: RefundTransfer,
  round: PrepareRound,
): Promise<ReadyRefund | undefined> {
  const { payments } = round
  const obstacle = await findObstacle(ports, transfer, round)
  if (obstacle !== null) {
    await recordOutcome(ports, transfer, obstacle)
    return undefined
  }
  const signed = await signRefund(ports, transfer)
  if (signed === undefined) return undefined
  const failure = await probeRefund(ports, signed, payments)
  if (failure !== null) {
    await recordOutcome(ports, signed.transfer, failure, transfer)
    return undefined
  }
  const ready = await unblockRefund(ports, signed)
  if (ready === undefined) return undefined
  if (transfer.status === 'blocked') {
    ports.notify({ type: 'refund_unblocked', refundTransfer: ready.transfer })
  }
  return { ...ready, payments }
}

/** What keeps a refund from being signed and sent now; null when nothing does. */
async function findObstacle(
  ports: RefundPorts,
  transfer: RefundTransfer,
  round: PrepareRound,
): Promise<RefundOutcome | null> {
  const { payments } = round
  const earlier = await checkEarlierSending(ports, transfer, payments)
  if (earlier !== null) return earlier
  if (ports.maxRefund !== null && transfer.amount > ports.maxRefund) {
    return { status: 'blocked_for_payee', reason: 'refund_cap' }
  }
  const unconfirmed = await checkSettlements(ports, transfer, round)
  if (unconfirmed !== null) return unconfirmed
  if (!ports.breaker.admits()) return { status: 'blocked_for_system', reason: null }
  const grant = await round.grantRefund(transfer)
  switch (grant) {
    case 'granted':
      return null
    case 'treasury_empty':
      return await unlessTransferred(
        ports,
        { transfer, payments },
        {
          status: 'blocked_for_system',
          reason: grant,
        },
      )
    case 'hourly_cap':
      ports.breaker.trip(grant)
      return { status: 'blocked_for_system', reason: null }
  }
}

/** A refund that may be under way is looked up by its nonce before anything is sent again. */
async function checkEarlierSending(
  ports: RefundPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome | null> {
  if (transfer.status !== 'signed' && transfer.status !== 'submitted') return null
  const use = await readRefund(ports, transfer, payments)
  if (use.status === 'transferred') return { status: 'transferred', use }
  if (use.status === 'canceled') {
    return { status: 'blocked_for_payee', reason: 'authorization_canceled' }
  }
  if (transfer.status === 'signed') return null
  // Waits twice as long after each look, until it is time to send the same bytes again.
  const lastDelay = Math.max(0, transfer.nextAttemptAt - transfer.updatedAt)
  return lastDelay * 2 > ports.resendMs
    ? null
    : { status: 'retry_later', delayMs: Math.max(lastDelay * 2, ports.pollMs) }
}

/** A refund never leaves before the payments it comes from are confirmed. */
async function checkSettlements(
  ports: RefundPorts,
  transfer: RefundTransfer,
  { payments, confirmationsOf }: PrepareRound,
): Promise<RefundOutcome | null> {
  for (const payment of payments) {
    const settlement = await confirmSettlement(ports, payment, confirmationsOf)
    if (settlement.status === 'lost') return lostSettlement(ports, transfer, payments)
    if (settlement.confirmations < ports.confirmations) {
      return { status: 'retry_later', delayMs: ports.pollMs }
    }
  }
  return null
}

/**
 * Money that did not arrive is not refunded, though it may still arrive until its authorization
 * expires. A sum of which only a part was lost waits for the operator.
 */
function lostSettlement(
  { clock }: RefundPorts,
  { status, validBefore }: RefundTransfer,
  payments: readonly PaymentRecord[],
): RefundOutcome {
  const isExpired = validBefore === null || validBefore * 1000 < clock()
  const isLostForGood = payments.every(
    ({ settlement, payload }) => settlement === null && payload === null,
  )
  return isLostForGood && isExpired && status === 'blocked'
    ? { status: 'written_off' }
    : { status: 'blocked_for_payee', reason: 'settlement_lost' }
}

type Sending = { readonly transfer: RefundTransfer; readonly payments: readonly PaymentRecord[] }

/** Asks the chain whether the refund would pass now, so that no gas is spent on one that would not. */
async function probeRefund(
  ports: RefundPorts,
  { transfer, refund }: Omit<ReadyRefund, 'payments'>,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome | null> {
  const obstacle = await ports.sender.probe(refund)
  if (obstacle === null) return null
  const { scope, reason } = obstacle
  if (scope === 'system') {
    ports.breaker.trip(reason)
    return { status: 'blocked_for_system', reason: null }
  }
  const blocked: RefundOutcome = { status: 'blocked_for_payee', reason }
  // A nonce that is used already reverts too.
  return reason === 'reverts'
    ? await unlessTransferred(ports, { transfer, payments }, blocked)
    : blocked
}

/** After a restored backup, what cannot be paid may have been paid already. */
async function unlessTransferred(
  ports: RefundPorts,
  { transfer, payments }: Sending,
  outcome: RefundOutcome,
): Promise<RefundOutcome> {
  const use = await readRefund(ports, transfer, payments)
  return use.status === 'transferred' ? { status: 'transferred', use } : outcome
}
