import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { SystemObstacle } from '../events/payment-events.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { type ConfirmationsOf, createConfirmationCache } from '../settlement/confirmation-cache.ts'
import { SigningError } from '../signature/signing-error.ts'
import { batchSmallRefunds } from './batch-small-refunds.ts'
import { prepareRefund, type ReadyRefund } from './prepare-refund.ts'
import { type RefundOutcome, recordOutcome } from './record-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'
import { sendRefunds } from './send-refunds.ts'
import { createTreasuryGrants, type GrantRefund } from './treasury-grant.ts'

/** What one round did. */
export type RefundRound = {
  /** Transfers that were looked at. */
  readonly transfers: number
  /** Those of them that were not confirmed yet when the round began. */
  readonly open: number
  /** Small refunds that got a transfer together, counted by transfer. */
  readonly batched: number
  readonly sent: number
  readonly faults: number
}

/** What is asked at once shares calls to the node. */
const concurrency = 50

/** Leases the refunds that are due, prepares each, and sends those that are ready in batches. */
export async function runRefundRound(ports: RefundPorts): Promise<RefundRound> {
  const confirmationsOf = createConfirmationCache(ports.chain)
  await ports.refundMinimum.refresh()
  const batched = ports.isBatchingDue() ? await batchSmallRefunds(ports, confirmationsOf) : 0
  const transfers = await leaseRefunds(ports)
  const round = { confirmationsOf, grantRefund: createTreasuryGrants(ports) }
  const prepared = await prepareRefunds(ports, transfers, round)
  const sent = await sendInBatches(ports, prepared.ready)
  return {
    transfers: transfers.length,
    open: transfers.filter(({ status }) => status !== 'confirmed').length,
    batched,
    sent: sent.refunds,
    faults: prepared.faults + sent.faults,
  }
}

function leaseRefunds(ports: RefundPorts): Promise<readonly RefundTransfer[]> {
  const { store, owner, clock, policy } = ports
  const now = clock()
  return store.leaseRefunds({
    owner,
    now,
    until: now + policy.backgroundLeaseMs,
    limit: policy.refundRoundSize,
  })
}

/** What the refunds of one round share. */
type SharedRound = {
  readonly confirmationsOf: ConfirmationsOf
  readonly grantRefund: GrantRefund
}

async function prepareRefunds(
  ports: RefundPorts,
  transfers: readonly RefundTransfer[],
  round: SharedRound,
): Promise<{ readonly ready: readonly ReadyRefund[]; readonly faults: number }> {
  const ready: ReadyRefund[] = []
  const faults: unknown[] = []
  await forEachConcurrently(transfers, concurrency, async (transfer) => {
    try {
      const payments = await loadPayments(ports, transfer)
      const prepared = await prepareRefund(ports, transfer, { ...round, payments })
      if (prepared.status === 'ready') ready.push(prepared)
      else if (prepared.status === 'held') await recordOutcome(ports, prepared)
    } catch (error) {
      faults.push(error)
      await retryAfterFault(ports, transfer, error)
    }
  })
  if (faults.length > 0 && faults.length === transfers.length) {
    ports.breaker.trip(obstacleOf(faults))
  }
  return { ready, faults: faults.length }
}

/** A single failed read concerns that refund alone; when all fail, the node or the signer is down. */
function obstacleOf(faults: readonly unknown[]): SystemObstacle {
  return faults.every((fault) => fault instanceof SigningError) ? 'signer_down' : 'rpc_down'
}

async function loadPayments(
  { store }: RefundPorts,
  transfer: RefundTransfer,
): Promise<readonly PaymentRecord[]> {
  const payments = await Promise.all(transfer.payments.map((id) => store.load(id)))
  return payments.filter((payment): payment is PaymentRecord => payment !== undefined)
}

/** A refund that could not be checked does not hold up the others; it is retried soon. */
async function retryAfterFault(
  ports: RefundPorts,
  { nonce }: RefundTransfer,
  error: unknown,
): Promise<void> {
  ports.notify({ type: 'fault', during: 'refunds', error })
  try {
    const transfer = await ports.store.loadRefund(nonce)
    if (transfer === undefined) return
    const outcome: RefundOutcome =
      transfer.status === 'confirmed'
        ? { status: 'retry_later', delayMs: ports.policy.refundPollMs * 2 }
        : { status: 'blocked_for_system', reason: null }
    await recordOutcome(ports, { transfer, outcome })
  } catch {
    // The store is down too: the lease expires by itself.
  }
}

async function sendInBatches(
  ports: RefundPorts,
  ready: readonly ReadyRefund[],
): Promise<{ readonly refunds: number; readonly faults: number }> {
  let refunds = 0
  let faults = 0
  for (let from = 0; from < ready.length; from += ports.policy.refundBatchSize) {
    try {
      refunds += await sendRefunds(ports, ready.slice(from, from + ports.policy.refundBatchSize))
    } catch (error) {
      // Whatever was sent is found by its nonce when its lease has expired.
      faults += 1
      ports.notify({ type: 'fault', during: 'refunds', error })
    }
  }
  return { refunds, faults }
}
