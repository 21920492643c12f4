import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { forEachConcurrently } from '../scheduling/for-each-concurrently.ts'
import { depthsOfRound } from '../settlement/watch-settlement.ts'
import { mergeDust } from './batch-small-refunds.ts'
import { prepareRefund, type ReadyRefund, type RefundRoundState } from './prepare-refund.ts'
import { parkRefund } from './refund-parking.ts'
import { postponeRefund, type RefundPorts } from './refund-ports.ts'
import { sendRefunds } from './send-refunds.ts'
import { checkRefund } from './track-refund.ts'
import { isGivenUp, writeOffRefund } from './write-off.ts'

/** What one round did. */
export type RefundRound = {
  /** Refunds that were looked at. */
  readonly refundTransfers: number
  /** Those of them that were not confirmed yet when the round began. */
  readonly open: number
  readonly merged: number
  readonly sent: number
  readonly faults: number
}

const atOnce = 8

/** Merges what is due, looks at each refund that is due, and sends what can be sent in batches. */
export async function runRefundRound(ports: RefundPorts): Promise<RefundRound> {
  const depthOf = depthsOfRound(ports.chain)
  await ports.refundMinimum.refresh()
  const merged = ports.isMergeDue() ? await mergeDust(ports, depthOf) : 0
  const refundTransfers = await leaseRefunds(ports)
  const ready: ReadyRefund[] = []
  let faults = 0
  const state: RefundRoundState = { depthOf, spend: createBudget(ports) }
  await forEachConcurrently(refundTransfers, atOnce, async (refundTransfer) => {
    try {
      const prepared = await handleRefund(ports, refundTransfer, state)
      if (prepared !== undefined) ready.push(prepared)
    } catch (error) {
      faults += 1
      await setAside(ports, refundTransfer, error)
    }
  })
  // One read that fails is that refund's bad luck; when all fail, the node is down.
  if (faults > 0 && faults === refundTransfers.length) ports.breaker.trip('rpc_down')
  let sent = 0
  for (const batch of batchesOf(ready, ports.batchSize)) {
    try {
      sent += await sendRefunds(ports, batch)
    } catch (error) {
      // Whatever was sent is found by its nonce when the leases are over.
      faults += 1
      ports.notify({ type: 'fault', during: 'refunds', error })
    }
  }
  const open = refundTransfers.filter(({ status }) => status !== 'confirmed').length
  return { refundTransfers: refundTransfers.length, open, merged, sent, faults }
}

function leaseRefunds(ports: RefundPorts): Promise<readonly RefundTransfer[]> {
  const { store, owner, clock, leaseMs, roundSize } = ports
  const now = clock()
  return store.leaseRefunds({ owner, now, until: now + leaseMs, limit: roundSize })
}

async function handleRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  state: RefundRoundState,
): Promise<ReadyRefund | undefined> {
  const loaded = await Promise.all(refundTransfer.payments.map((id) => ports.store.load(id)))
  const payments = loaded.filter((payment): payment is PaymentRecord => payment !== undefined)
  const round = { ...state, payments }
  if (refundTransfer.status === 'confirmed') await checkRefund(ports, refundTransfer, round)
  else if (isGivenUp(refundTransfer)) await writeOffRefund(ports, refundTransfer, payments)
  else return await prepareRefund(ports, refundTransfer, round)
  return undefined
}

/** One refund that cannot be judged holds no other; it is looked at again soon. */
async function setAside(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  error: unknown,
): Promise<void> {
  ports.notify({ type: 'fault', during: 'refunds', error })
  try {
    const current = await ports.store.loadRefund(refundTransfer.nonce)
    if (current === undefined) return
    if (current.status === 'confirmed') await postponeRefund(ports, current, ports.pollMs * 2)
    else await parkRefund(ports, current)
  } catch {
    // The store is down too: the lease ends by itself.
  }
}

/** What the treasury holds and what may leave it within an hour, counted down over a round. */
function createBudget(ports: RefundPorts): RefundRoundState['spend'] {
  const { chain, clock, maxPerHour, signer, store } = ports
  let funds: Promise<{ held: bigint; allowed: bigint | null }> | null = null

  async function read(
    asset: RefundTransfer['asset'],
  ): Promise<{ held: bigint; allowed: bigint | null }> {
    const held = await chain.balanceOf(asset, signer.treasury)
    if (maxPerHour === null) return { held, allowed: null }
    const { refunded } = await store.refundTotals(clock() - 3_600_000)
    return { held, allowed: maxPerHour - refunded }
  }

  return async function spend({ asset, amount, signedAt }) {
    funds ??= read(asset)
    const left = await funds
    // A refund that was signed before is in the hour's sum already.
    const counts = signedAt === null && left.allowed !== null
    if (counts && (left.allowed ?? 0n) < amount) return 'hourly_cap'
    if (left.held < amount) return 'treasury_empty'
    left.held -= amount
    if (counts && left.allowed !== null) left.allowed -= amount
    return 'granted'
  }
}

function batchesOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
