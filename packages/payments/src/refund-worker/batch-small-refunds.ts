import type { Hex, PaymentRecord, PendingRefunds } from '@farebox/ledger'
import { sum } from '@farebox/money'
import { batchedRefundNonce } from '../refund-plan/refund-nonce.ts'
import { confirmSettlement } from '../settlement/confirm-settlement.ts'
import type { ConfirmationsOf } from '../settlement/confirmation-cache.ts'
import { readRefund } from './check-refund.ts'
import { matchTransfers } from './match-transfers.ts'
import type { TransferredUse } from './record-outcome.ts'
import { advanceRefund, type RefundPorts } from './refund-ports.ts'

/** What the batching of one round needs. */
type BatchPorts = RefundPorts & { readonly confirmationsOf: ConfirmationsOf }

const payersPerRound = 1_000

/**
 * Combines the pending small refunds of a payer into one transfer, once they are worth the gas or
 * have waited long enough. Returns how many transfers were created or found.
 */
export async function batchSmallRefunds(ports: BatchPorts): Promise<number> {
  const { store, clock, policy, refundMinimum } = ports
  let transfers = 0
  const due = await store.smallRefundsDue({
    createdUntil: clock() - policy.maxRefundDelayMs,
    least: refundMinimum.current(),
    limit: payersPerRound,
  })
  for (const payer of due) {
    try {
      const pending = await store.pendingRefundsOf(payer)
      transfers += await batchPending(ports, pending)
    } catch (error) {
      // A payer whose refunds cannot be checked does not delay the others.
      ports.notify({ type: 'fault', during: 'refunds', error })
    }
  }
  return transfers
}

function isDue(ports: RefundPorts, payments: readonly PaymentRecord[]): boolean {
  const [oldest] = payments
  if (oldest === undefined) return false
  const hasWaited = ports.clock() - oldest.createdAt >= ports.policy.maxRefundDelayMs
  return hasWaited || owedTo(payments) >= ports.refundMinimum.current()
}

/**
 * The transfer's nonce comes from the payer and a sequence number. After a restored backup the chain
 * may hold transfers of that sequence that are missing from the ledger: what they paid is booked, and
 * the next free number is used only when nothing is left to book.
 */
async function batchPending(ports: BatchPorts, pending: PendingRefunds): Promise<number> {
  const { confirmed } = await confirmPayments(ports, pending.payments)
  if (!isDue(ports, confirmed)) return 0
  const { unrecorded, freeNonce } = await searchSequence(ports, pending)
  if (unrecorded.length > 0) {
    const booked = await bookUnrecorded(ports, pending, unrecorded)
    if (booked !== 'nothing_left') return booked
  }
  const batch = { ...pending, payments: confirmed }
  const outcome = await ports.store.batchSmallRefunds(batch, {
    nonce: freeNonce,
    at: ports.clock(),
  })
  return outcome.status === 'applied' ? 1 : 0
}

type ConfirmedPayments = {
  readonly proven: readonly PaymentRecord[]
  /** Those of them with enough confirmations to be refunded. */
  readonly confirmed: readonly PaymentRecord[]
}

async function confirmPayments(
  ports: BatchPorts,
  payments: readonly PaymentRecord[],
): Promise<ConfirmedPayments> {
  const proven: PaymentRecord[] = []
  const confirmed: PaymentRecord[] = []
  for (const payment of payments) {
    const settlement = await confirmSettlement(ports, payment, ports.confirmationsOf)
    if (settlement.status === 'lost') continue
    proven.push(settlement.payment)
    if (settlement.confirmations >= ports.policy.refundConfirmations)
      confirmed.push(settlement.payment)
  }
  return { proven, confirmed }
}

/** A transfer that is on the chain and missing from the ledger. */
type UnrecordedTransfer = { readonly nonce: Hex; readonly use: TransferredUse }

type SequenceSearch = {
  readonly unrecorded: readonly UnrecordedTransfer[]
  /** The first nonce of the sequence that neither the ledger nor the chain has used. */
  readonly freeNonce: Hex
}

async function searchSequence(
  ports: RefundPorts,
  pending: PendingRefunds,
): Promise<SequenceSearch> {
  const { asset, payments } = pending
  const unrecorded: UnrecordedTransfer[] = []
  for (let sequence = pending.sequence; ; sequence += 1) {
    const nonce = batchedRefundNonce({ ...pending, sequence })
    if ((await ports.store.loadRefund(nonce)) !== undefined) continue
    const use = await readRefund(ports, { asset, nonce, transaction: null }, payments)
    if (use.status === 'transferred') unrecorded.push({ nonce, use })
    if (use.status === 'unused') return { unrecorded, freeNonce: nonce }
  }
}

type MatchedTransfer = UnrecordedTransfer & { readonly payments: readonly PaymentRecord[] }

/** Which of the payments' refunds each transfer paid. */
function matchUnrecorded(
  payments: readonly PaymentRecord[],
  unrecorded: readonly UnrecordedTransfer[],
): readonly MatchedTransfer[] {
  const refunds = payments.flatMap((payment) =>
    payment.refund === null || payment.settlement === null
      ? []
      : [{ payment, amount: payment.refund.amount, block: payment.settlement.block }],
  )
  const onChain = unrecorded.map(({ use }) => ({ value: use.value, block: use.proof.block }))
  const matches = matchTransfers(refunds, onChain)
  return unrecorded.map((each, index) => ({
    ...each,
    payments: (matches[index] ?? []).map(({ payment }) => payment),
  }))
}

function owedTo(payments: readonly PaymentRecord[]): bigint {
  return sum(payments.flatMap(({ refund }) => refund?.amount ?? []))
}

/**
 * Books what these transfers paid; the remaining payments are checked again in the next round. Part
 * of a transfer may have paid a refund that the restored ledger does not know to be owed yet:
 * booked without it, that refund would be paid again.
 */
async function bookUnrecorded(
  ports: BatchPorts,
  { payer, chainId, asset }: PendingRefunds,
  unrecorded: readonly UnrecordedTransfer[],
): Promise<number | 'nothing_left'> {
  const undecidedFrom = await ports.store.undecidedFrom({ chainId, asset, from: payer })
  // Read after that, these include what was decided meanwhile.
  const pending = await ports.store.pendingRefundsOf({ payer, chainId, asset })
  // What was paid already may not seem to have enough confirmations yet.
  const { proven } = await confirmPayments(ports, pending.payments)
  const matched = matchUnrecorded(proven, unrecorded)
  const isExplained = matched.every(({ use, payments }) => use.value === owedTo(payments))
  const lastBlock = Math.max(...unrecorded.map(({ use }) => use.proof.block))
  if (!isExplained && undecidedFrom !== null && undecidedFrom <= lastBlock) return 0
  let booked = 0
  for (const { payments, ...transfer } of matched) {
    if (payments.length === 0) continue
    const sequence = pending.sequence + booked
    booked += await bookTransfer(ports, { ...pending, payments, sequence }, transfer)
  }
  return booked > 0 ? booked : 'nothing_left'
}

async function bookTransfer(
  ports: RefundPorts,
  paid: PendingRefunds,
  { nonce, use }: UnrecordedTransfer,
): Promise<number> {
  const at = ports.clock()
  const outcome = await ports.store.batchSmallRefunds(paid, { nonce, at })
  if (outcome.status !== 'applied') return 0
  const { proof, value } = use
  const { transfer } = outcome
  const booked = await advanceRefund(ports, { transfer }, { type: 'confirmed', proof, at })
  if (booked !== undefined) ports.notify({ type: 'refund_found', transfer: booked, value })
  return 1
}
