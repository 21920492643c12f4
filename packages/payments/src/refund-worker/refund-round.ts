import { LedgerError, type RefundTransfer } from '@farebox/ledger'
import { faultReporter } from '../events/fault-reporter.ts'
import type { SystemObstacle } from '../events/payment-events.ts'
import { isOfOneRow } from '../events/row-alone.ts'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { createConfirmationCache } from '../settlement/confirmation-cache.ts'
import { SigningError } from '../signature/signing-error.ts'
import { batchSmallRefunds } from './batch-small-refunds.ts'
import { prepareRefund, type ReadyRefund, type RoundPorts } from './prepare-refund.ts'
import { type RefundOutcome, recordOutcome } from './record-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'
import { recordSending, type SentBatch, sendRefunds } from './send-refunds.ts'
import { createTreasuryGrants } from './treasury-grant.ts'

/** What one round did. */
export type RefundRound = {
  /** The number of transfers that were checked. */
  readonly transfers: number
  /** Those of them that were not confirmed yet when the round began. */
  readonly open: number
  /** Small refunds that got a transfer together, counted by transfer. */
  readonly batched: number
  readonly sent: number
  readonly faults: number
}

/** Concurrent questions share calls to the node. */
const concurrency = 50

/** Leases the refunds that are due, prepares each, and sends those that are ready in batches. */
export async function runRefundRound(ports: RefundPorts): Promise<RefundRound> {
  const round = {
    ...ports,
    confirmationsOf: createConfirmationCache(ports.chain),
    grantRefund: createTreasuryGrants(ports),
  }
  await ports.refundMinimum.refresh()
  const batched = ports.takeBatchingTurn() ? await batchSmallRefunds(round) : 0
  const transfers = await leaseRefunds(ports)
  const prepared = await prepareRefunds(round, transfers)
  // While more are due than one round takes, none of them waits for a block.
  const { refundRoundSize, refundPollMs, blockMs } = ports.policy
  const waitMs = transfers.length < refundRoundSize ? refundPollMs + blockMs : 0
  const sent = await sendInBatches(ports, prepared.ready, waitMs)
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
  const until = now + policy.backgroundLeaseMs
  const request = { owner, now, until, limit: policy.refundRoundSize }
  return store.leaseRefunds(request, faultReporter(ports, 'refunds'))
}

async function prepareRefunds(
  ports: RoundPorts,
  transfers: readonly RefundTransfer[],
): Promise<{ readonly ready: readonly ReadyRefund[]; readonly faults: number }> {
  const ready: ReadyRefund[] = []
  const faults: unknown[] = []
  let others = 0
  await forEachConcurrently(transfers, concurrency, async (transfer) => {
    try {
      const prepared = await prepareRefund(ports, transfer)
      if (prepared.status === 'ready') ready.push(prepared)
      else if (prepared.status === 'held') await recordOutcome(ports, prepared)
    } catch (error) {
      if (isOfOneRow(error) || isSent(transfer)) others += 1
      else faults.push(error)
      await retryAfterFault(ports, transfer, error)
    }
  })
  const failed = faults.length + others
  // A pause ends with a refund that is sent, so look-ups that fail start no pause.
  if (faults.length > 0 && failed === transfers.length) ports.breaker.trip(obstacleOf(faults))
  return { ready, faults: failed }
}

/** A single fault concerns that refund alone; when all fail, the node, the signer or the ledger is down. */
function obstacleOf(faults: readonly unknown[]): SystemObstacle {
  if (faults.every((fault) => fault instanceof LedgerError)) return 'ledger_down'
  return faults.every((fault) => fault instanceof SigningError) ? 'signer_down' : 'rpc_down'
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
    await recordOutcome(ports, { transfer, outcome: outcomeOf(ports, transfer, error) })
  } catch {
    // The store is down too: the lease expires by itself.
  }
}

/** A row that is wrong stays so until it is repaired. */
const repairMs = 60_000

function outcomeOf(
  { policy }: RefundPorts,
  transfer: RefundTransfer,
  error: unknown,
): RefundOutcome {
  if (isOfOneRow(error)) return { status: 'retry_later', delayMs: repairMs }
  return isSent(transfer)
    ? { status: 'retry_later', delayMs: policy.refundPollMs * 2 }
    : { status: 'blocked_for_system', reason: null }
}

/** A sent refund is only looked up. If it were blocked, it would count as unsent. */
function isSent({ status }: RefundTransfer): boolean {
  return status === 'submitted' || status === 'confirmed'
}

async function sendInBatches(
  ports: RefundPorts,
  ready: readonly ReadyRefund[],
  waitMs: number,
): Promise<{ readonly refunds: number; readonly faults: number }> {
  const batches: SentBatch[] = []
  let faults = 0
  // Whatever was sent is found by its nonce when its lease has expired.
  const reported = async <Result>(work: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work
    } catch (error) {
      faults += 1
      ports.notify({ type: 'fault', during: 'refunds', error })
      return undefined
    }
  }
  for (let from = 0; from < ready.length; from += ports.policy.refundBatchSize) {
    const batch = ready.slice(from, from + ports.policy.refundBatchSize)
    const sent = await reported(sendRefunds(ports, batch))
    if (sent !== undefined) batches.push(sent)
  }
  await Promise.all(batches.map((sent) => reported(recordSending(ports, sent, waitMs))))
  return { refunds: batches.flatMap(({ batch }) => batch).length, faults }
}
