import type { Hex, PaymentRecord, PendingRefunds } from '@farebox/ledger'
import { sum } from '@farebox/money'
import type { AuthorizationUse } from '../chain/chain.ts'
import { mergedRefundNonce } from '../refund-plan/refund-nonce.ts'
import { type depthsOfRound, watchSettlement } from '../settlement/watch-settlement.ts'
import { matchTransfers } from './match-transfers.ts'
import { advanceRefund, type RefundPorts } from './refund-ports.ts'

type DepthOf = ReturnType<typeof depthsOfRound>

const payersPerRound = 1_000

/** Gives small refunds of one payer a transfer together, when they are worth its gas or have waited. */
export async function mergeDust(ports: RefundPorts, depthOf: DepthOf): Promise<number> {
  let merged = 0
  for (const accrual of await ports.store.pendingSmallRefunds(payersPerRound)) {
    if (!isDue(ports, accrual.payments)) continue
    try {
      const watched = await watchPayments(ports, accrual.payments, depthOf)
      if (isDue(ports, watched.deep)) merged += await mergeAccrual(ports, accrual, watched)
    } catch (error) {
      // One payer whose refunds cannot be judged now holds no other; the next round asks again.
      ports.notify({ type: 'fault', during: 'refunds', error })
    }
  }
  return merged
}

function isDue(ports: RefundPorts, payments: readonly PaymentRecord[]): boolean {
  const [oldest] = payments
  if (oldest === undefined) return false
  const hasWaited = ports.clock() - oldest.createdAt >= ports.maxDelayMs
  return (
    hasWaited ||
    sum(payments.flatMap(({ refund }) => refund?.amount ?? [])) >= ports.refundMinimum.current()
  )
}

type Watched = {
  readonly proven: readonly PaymentRecord[]
  /** Those of them that lie deep enough to be paid back. */
  readonly deep: readonly PaymentRecord[]
}

async function watchPayments(
  ports: RefundPorts,
  payments: readonly PaymentRecord[],
  depthOf: DepthOf,
): Promise<Watched> {
  const proven: PaymentRecord[] = []
  const deep: PaymentRecord[] = []
  for (const payment of payments) {
    const watched = await watchSettlement(ports, payment, depthOf)
    if (watched.status === 'lost') continue
    proven.push(watched.payment)
    if (watched.depth + 1 >= ports.confirmations) deep.push(watched.payment)
  }
  return { proven, deep }
}

/**
 * The transfer's nonce comes from the payer and a sequence. After a restored backup the chain may
 * hold transfers of that sequence which the ledger has forgotten: what they paid is booked, and only
 * when all of them are is the next free number used.
 */
async function mergeAccrual(
  ports: RefundPorts,
  accrual: PendingRefunds,
  { proven, deep }: Watched,
): Promise<number> {
  const found: Found[] = []
  for (let sequence = accrual.sequence; ; sequence += 1) {
    const nonce = mergedRefundNonce({ ...accrual, sequence })
    if ((await ports.store.loadRefund(nonce)) !== undefined) continue
    const use = await readSequence(ports, accrual, nonce)
    if (use.status === 'transferred') found.push({ nonce, use })
    if (use.status !== 'unused') continue
    // What was paid already may, to a restored ledger, seem not to lie deep enough yet.
    const booked = await bookFound(ports, { ...accrual, payments: proven }, found)
    return booked > 0 ? booked : await freeze(ports, { ...accrual, payments: deep }, nonce)
  }
}

type Found = { readonly nonce: Hex; readonly use: Transferred }

/** What is left after it is looked at again, in the next round. */
async function bookFound(
  ports: RefundPorts,
  accrual: PendingRefunds,
  found: readonly Found[],
): Promise<number> {
  const refunds = accrual.payments.flatMap((payment) =>
    payment.refund === null || payment.settlement === null
      ? []
      : [{ payment, amount: payment.refund.amount, block: payment.settlement.block }],
  )
  const transfers = found.map(({ use }) => ({ value: use.value, block: use.proof.block }))
  const matches = matchTransfers(refunds, transfers)
  let booked = 0
  for (const [index, each] of found.entries()) {
    const payments = (matches[index] ?? []).map(({ payment }) => payment)
    if (payments.length === 0) continue
    const sequence = accrual.sequence + booked
    booked += await bookMerged(ports, { ...accrual, payments, sequence }, each)
  }
  return booked
}

async function readSequence(
  { chain, signer }: RefundPorts,
  { asset, payments }: PendingRefunds,
  nonce: Hex,
): Promise<AuthorizationUse> {
  const blocks = payments.map(({ settlement, intentBlock }) => settlement?.block ?? intentBlock)
  const fromBlock = Math.min(...blocks)
  return await chain.authorizationUse({ asset, from: signer.treasury, nonce, fromBlock })
}

type Transferred = Extract<AuthorizationUse, { readonly status: 'transferred' }>

async function bookMerged(
  ports: RefundPorts,
  accrual: PendingRefunds,
  { nonce, use }: Found,
): Promise<number> {
  const at = ports.clock()
  const outcome = await ports.store.batchSmallRefunds(accrual, { nonce, at })
  if (outcome.status !== 'applied') return 0
  const booked = await advanceRefund(ports, outcome.refundTransfer, {
    type: 'confirmed',
    proof: use.proof,
    at,
  })
  if (booked !== undefined)
    ports.notify({ type: 'refund_found', refundTransfer: booked, value: use.value })
  return 1
}

async function freeze(ports: RefundPorts, accrual: PendingRefunds, nonce: Hex): Promise<number> {
  const outcome = await ports.store.batchSmallRefunds(accrual, { nonce, at: ports.clock() })
  return outcome.status === 'applied' ? 1 : 0
}
