import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { type ConfirmationsOf, createConfirmationCache } from '../settlement/confirmation-cache.ts'
import { batchSmallRefunds } from './batch-small-refunds.ts'
import { checkFinality } from './check-finality.ts'
import { prepareRefund, type ReadyRefund } from './prepare-refund.ts'
import { recordOutcome } from './record-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'
import { sendRefunds } from './send-refunds.ts'
import { createTreasuryGrants, type GrantRefund } from './treasury-grant.ts'
import { checkWriteOff, isWriteOffRequested } from './write-off.ts'

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

const concurrency = 8

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
  const { store, owner, clock, leaseMs, roundSize } = ports
  const now = clock()
  return store.leaseRefunds({ owner, now, until: now + leaseMs, limit: roundSize })
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
  let faults = 0
  await forEachConcurrently(transfers, concurrency, async (transfer) => {
    try {
      const prepared = await handleRefund(ports, transfer, round)
      if (prepared !== undefined) ready.push(prepared)
    } catch (error) {
      faults += 1
      await retryAfterFault(ports, transfer, error)
    }
  })
  // A single failed read concerns that refund alone; when all fail, the node is down.
  if (faults > 0 && faults === transfers.length) ports.breaker.trip('rpc_down')
  return { ready, faults }
}

async function handleRefund(
  ports: RefundPorts,
  transfer: RefundTransfer,
  shared: SharedRound,
): Promise<ReadyRefund | undefined> {
  const loaded = await Promise.all(transfer.payments.map((id) => ports.store.load(id)))
  const payments = loaded.filter((payment): payment is PaymentRecord => payment !== undefined)
  const round = { ...shared, payments }
  if (transfer.status === 'confirmed') {
    await recordOutcome(ports, transfer, await checkFinality(ports, transfer, round))
  } else if (isWriteOffRequested(transfer)) {
    await recordOutcome(ports, transfer, await checkWriteOff(ports, transfer, payments))
  } else {
    return await prepareRefund(ports, transfer, round)
  }
  return undefined
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
    await recordOutcome(
      ports,
      transfer,
      transfer.status === 'confirmed'
        ? { status: 'retry_later', delayMs: ports.pollMs * 2 }
        : { status: 'blocked_for_system', reason: null },
    )
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
  for (let from = 0; from < ready.length; from += ports.batchSize) {
    try {
      refunds += await sendRefunds(ports, ready.slice(from, from + ports.batchSize))
    } catch (error) {
      // Whatever was sent is found by its nonce when its lease has expired.
      faults += 1
      ports.notify({ type: 'fault', during: 'refunds', error })
    }
  }
  return { refunds, faults }
}
