import type { Hex } from '@farebox/ledger'
import {
  formatTransactionReceipt,
  type PublicClient,
  type TransactionReceipt,
  zeroHash,
} from 'viem'
import { revertMessage } from '../rpc/rpc-client.ts'
import { broadcast } from './broadcast.ts'
import { dataFeeOf } from './data-fee.ts'
import { type FeeSource, type GasFees, replacementFees } from './gas-fees.ts'
import type { NonceSource } from './nonce-source.ts'
import type { PendingEntry, PendingTransactions } from './pending-transactions.ts'
import type { Preconfirmations, ReceiptPlace } from './preconfirmations.ts'
import { createReceiptBoard, type ReceiptBoard } from './receipt-board.ts'
import type { SignTransaction } from './sign-transaction.ts'
import type { QueueNotice, QueueOutcome, TransactionCall } from './transaction-call.ts'

/** What sending and tracking share. */
export type QueueParts = {
  readonly client: PublicClient
  readonly relayer: Hex
  readonly clock: () => number
  readonly cap: bigint
  /** The most gas that one transaction may use. */
  readonly maxGas: bigint
  readonly fees: FeeSource
  readonly sign: SignTransaction
  readonly pending: PendingTransactions
  readonly nonces: NonceSource
  readonly serial: <Result>(task: () => Promise<Result>) => Promise<Result>
  readonly notify: (notice: QueueNotice) => void
  /** Undefined if receipts are those of mined transactions only. */
  readonly preconfirmations: Preconfirmations | undefined
}

export type TransactionTracker = {
  /** Polls the chain until no transaction is pending. */
  wake(): void
  receiptOf(transaction: Hex, timeoutMs: number): Promise<TransactionReceipt | undefined>
  close(): void
}

export type TrackerOptions = {
  readonly pollMs: number
  readonly stuckAfterMs: number
  /** Sends a call again with a new nonce, after another process used its own. */
  readonly resend: (call: TransactionCall) => Promise<QueueOutcome>
}

type TrackerParts = QueueParts & TrackerOptions & { readonly board: ReceiptBoard }

/** Tracks sent transactions until they are mined: collects receipts, resends, raises fees. */
export function trackTransactions(queue: QueueParts, options: TrackerOptions): TransactionTracker {
  const parts: TrackerParts = { ...queue, ...options, board: createReceiptBoard() }
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function wake(): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(() => void round(), delayOf(parts))
    timer.unref()
  }

  async function round(): Promise<void> {
    try {
      await trackPending(parts)
    } catch {
      // The node does not answer; the next round asks again.
    }
    timer = undefined
    if (queue.pending.size() > 0) wake()
  }

  return {
    wake,
    async receiptOf(transaction, timeoutMs) {
      const awaited = parts.board.wait(transaction, timeoutMs)
      const waiting = queue.pending.find((entry) => entry.transactions.includes(transaction))
      if (waiting === undefined) {
        const mined = parts.board.minedAs(transaction)
        const receipt = await sealedReceipt(parts, mined).catch(() => undefined)
        if (receipt !== undefined) parts.board.post([transaction], receipt)
      }
      wake()
      return await awaited
    },
    close() {
      closed = true
      clearTimeout(timer)
      parts.board.close()
    },
  }
}

/**
 * A receipt is found at most an eighth of its wait late, and a long wait takes few calls. Once its
 * nonce is used, the wait is almost over.
 */
function delayOf({ pending, clock, pollMs }: TrackerParts): number {
  const oldest = pending.inOrder()[0]
  const waited = oldest === undefined ? 0 : clock() - oldest.sentAt
  const longest = oldest?.missing ? pollMs * roundsByReceipt : waited
  return Math.max(pollMs, Math.min(waited / 8, longest))
}

/**
 * For this many rounds, only the receipt of the oldest transaction is requested: usually it is
 * mined next. After that the count of the account shows what else happened to its nonces.
 */
const roundsByReceipt = 10

async function trackPending(parts: TrackerParts): Promise<void> {
  const { client, relayer, pending } = parts
  const oldestOfAll = pending.inOrder()[0]
  if (oldestOfAll === undefined || (await collectMined(parts, oldestOfAll))) return
  if (!isOlder(parts, oldestOfAll, parts.pollMs * roundsByReceipt)) return
  const mined = await client.getTransactionCount({ address: relayer, blockTag: 'latest' })
  const entries = pending.inOrder()
  await Promise.all(
    entries.filter((entry) => entry.nonce < mined).map((entry) => collect(parts, entry)),
  )
  const waiting = entries.filter((entry) => entry.nonce >= mined)
  for (const entry of waiting.filter((candidate) => candidate.unclear)) {
    await sendAgain(parts, entry)
  }
  const [oldest] = waiting
  if (oldest === undefined) return
  // A reorganization may have undone the nonces before ours.
  const hasGap = oldest.nonce > mined
  if (!hasGap && !isOlder(parts, oldest, parts.stuckAfterMs / 4)) return
  await restoreDropped(parts, waiting, mined)
  for (const entry of waiting.filter((candidate) =>
    isOlder(parts, candidate, parts.stuckAfterMs),
  )) {
    await parts.serial(() => replace(parts, entry))
  }
}

function isOlder({ clock }: TrackerParts, entry: PendingEntry, age: number): boolean {
  return clock() - entry.sentAt > age
}

/**
 * Collects the oldest transaction if it is mined, and then those after it that are mined too. One
 * that is preconfirmed is asked for again when there is a new block.
 */
async function collectMined(parts: TrackerParts, oldest: PendingEntry): Promise<boolean> {
  const found = await collectLatest(parts, oldest)
  if (found === 'nothing') return false
  await Promise.all(parts.pending.inOrder().map((entry) => collectLatest(parts, entry)))
  return found === 'mined'
}

async function collectLatest(
  parts: TrackerParts,
  entry: PendingEntry,
): Promise<'mined' | 'preconfirmed' | 'nothing'> {
  const { preconfirmations, pending } = parts
  const { nonce, shownAt, transaction, transactions } = entry
  const isAwaited = shownAt !== undefined && !(await preconfirmations?.isPast(shownAt))
  if (isAwaited) return 'preconfirmed'
  const receipt = await receiptFrom(parts, transaction)
  const place = receipt && { receipt, ...(await placeOf(parts, receipt)) }
  switch (place?.status) {
    case 'sealed':
      take(parts, entry, place.receipt)
      return 'mined'
    case 'ahead':
      pending.change(nonce, { shownAt: place.head })
      preconfirmations?.show(transactions, place.receipt)
      return 'preconfirmed'
    default:
      // The receipt's block is no longer part of the chain.
      pending.change(nonce, { shownAt: undefined })
      return 'nothing'
  }
}

async function placeOf(
  { preconfirmations }: TrackerParts,
  receipt: TransactionReceipt,
): Promise<ReceiptPlace> {
  return (await preconfirmations?.placeOf(receipt)) ?? { status: 'sealed' }
}

async function sealedReceipt(
  parts: TrackerParts,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  const receipt = await receiptFrom(parts, hash)
  const isSealed = receipt !== undefined && (await placeOf(parts, receipt)).status === 'sealed'
  return isSealed ? receipt : undefined
}

function take(parts: TrackerParts, entry: PendingEntry, receipt: TransactionReceipt): void {
  const { pending, board, relayer, clock, notify } = parts
  pending.remove(entry.nonce)
  board.post(entry.transactions, receipt)
  notify({
    type: 'mined',
    paid: {
      sender: relayer,
      nonce: entry.nonce,
      transaction: receipt.transactionHash,
      purpose: entry.call.purpose ?? 'settlement',
      succeeded: receipt.status === 'success',
      gas: receipt.gasUsed,
      fee: receipt.gasUsed * receipt.effectiveGasPrice + dataFeeOf(receipt),
      at: clock(),
    },
  })
}

/** For how many rounds a used nonce may have no receipt, since nodes index receipts late. */
const patience = 20

/** The nonce is used: by one of our transactions, or by another process with the same key. */
async function collect(parts: TrackerParts, entry: PendingEntry): Promise<void> {
  const { pending, board } = parts
  for (const transaction of entry.transactions.toReversed()) {
    const receipt = await sealedReceipt(parts, transaction)
    if (receipt !== undefined) return take(parts, entry, receipt)
  }
  pending.change(entry.nonce, { missing: entry.missing + 1 })
  if (entry.missing < patience) return
  pending.remove(entry.nonce)
  parts.notify({ type: 'nonce_conflict', nonce: entry.nonce })
  if (isNoOp(parts, entry)) return
  const outcome = await parts.resend(entry.call)
  if (outcome.status === 'sent' || outcome.status === 'unknown') {
    const again = pending.find((candidate) => candidate.transaction === outcome.transaction)
    if (again !== undefined) {
      const transactions = [...entry.transactions, ...again.transactions]
      pending.change(again.nonce, { transactions })
    }
  } else {
    board.abandon(entry.transactions)
  }
}

/** A receipt whose block has no hash yet is a preconfirmation, which is read only on request. */
async function receiptFrom(
  { client, preconfirmations }: TrackerParts,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (receipt === null) return undefined
  const isUnread = preconfirmations === undefined && receipt.blockHash === zeroHash
  return isUnread ? undefined : formatTransactionReceipt(receipt)
}

/** How often a node may reject the same bytes before a no-op takes their nonce. */
const rejectionLimit = 10

async function sendAgain(parts: TrackerParts, entry: PendingEntry): Promise<void> {
  const { client, pending } = parts
  const { nonce } = entry
  const outcome = await broadcast(client, entry.raw)
  if (outcome.status === 'accepted') {
    pending.change(nonce, { unclear: false, rejections: 0 })
  } else if (outcome.status === 'refused') {
    await parts.serial(() => replaceByNoOp(parts, entry))
  } else if (outcome.status === 'unclear' && outcome.reason !== 'no_answer') {
    pending.change(nonce, { rejections: entry.rejections + 1 })
    if (entry.rejections >= rejectionLimit) await parts.serial(() => replaceByNoOp(parts, entry))
  }
}

/** These bytes will not be mined, and their nonce would hold up all later transactions. */
async function replaceByNoOp(parts: TrackerParts, entry: PendingEntry): Promise<void> {
  const fees = await parts.fees()
  if (fees === 'fee_cap') return
  await sendInPlace(parts, entry, { call: noOp(parts), gas: noOpGas, fees })
  parts.board.abandon(entry.transactions)
  parts.notify({ type: 'stuck', nonce: entry.nonce, reason: 'rejected by the node' })
}

/** Signs another transaction for a nonce and sends it. */
async function sendInPlace(
  { sign, client, pending }: TrackerParts,
  { nonce, transactions }: PendingEntry,
  next: { readonly call: TransactionCall; readonly gas: bigint; readonly fees: GasFees },
): Promise<Hex> {
  const { raw, transaction } = await sign({ ...next, nonce })
  const rejections = 0
  pending.change(nonce, {
    ...next,
    raw,
    transaction,
    rejections,
    transactions: [...transactions, transaction],
  })
  const outcome = await broadcast(client, raw)
  pending.change(nonce, { unclear: outcome.status === 'unclear' })
  return transaction
}

/** How many nonces are filled in one round at most. */
const gapLimit = 100

/** Sends again what the node accepted and has dropped since, and fills gaps between nonces. */
async function restoreDropped(
  parts: TrackerParts,
  waiting: readonly PendingEntry[],
  mined: number,
): Promise<void> {
  const { client, relayer } = parts
  const known = await client.getTransactionCount({ address: relayer, blockTag: 'pending' })
  const last = waiting.at(-1)?.nonce ?? mined
  const own = new Map(waiting.map((entry) => [entry.nonce, entry]))
  for (let nonce = known; nonce <= Math.min(last, known + gapLimit); nonce += 1) {
    const entry = own.get(nonce)
    if (entry !== undefined) await sendAgain(parts, entry)
    else await parts.serial(() => fillGap(parts, nonce))
  }
}

const noOpGas = 21_000n

function noOp({ relayer }: QueueParts): TransactionCall {
  return { to: relayer, data: '0x', gas: noOpGas, purpose: 'filler' }
}

function isNoOp({ relayer }: QueueParts, entry: PendingEntry): boolean {
  return entry.call.data === '0x' && entry.call.to === relayer
}

async function fillGap(parts: TrackerParts, nonce: number): Promise<void> {
  const fees = await parts.fees()
  if (fees === 'fee_cap') return
  const { raw } = await parts.sign({ call: noOp(parts), gas: noOpGas, nonce, fees })
  await broadcast(parts.client, raw)
}

/** How often a transaction is replaced at a higher fee before it is left alone. */
const replacementLimit = 6

/** Sends a transaction again at a higher fee, or a no-op in its place when it would now revert. */
async function replace(parts: TrackerParts, entry: PendingEntry): Promise<void> {
  const { pending, clock, cap } = parts
  const { nonce } = entry
  pending.change(nonce, { sentAt: clock() })
  const now = await parts.fees()
  const fees = now === 'fee_cap' ? now : replacementFees(entry.fees, now, cap)
  if (fees === 'fee_cap' || entry.replacements >= replacementLimit) {
    const reason = fees === 'fee_cap' ? fees : 'replaced too often'
    return parts.notify({ type: 'stuck', nonce, reason })
  }
  const useless = isNoOp(parts, entry) || (await wouldRevert(parts, entry.call))
  const call = useless ? noOp(parts) : entry.call
  const gas = useless ? noOpGas : entry.gas
  const transaction = await sendInPlace(parts, entry, { call, gas, fees })
  pending.change(nonce, { replacements: entry.replacements + 1 })
  parts.notify({ type: 'replaced', nonce, transaction })
}

async function wouldRevert(
  { client, relayer }: TrackerParts,
  { to, data }: TransactionCall,
): Promise<boolean> {
  try {
    // Many nodes estimate on the pending block, in which the transaction itself has taken effect.
    await client.estimateGas({ account: relayer, to, data, blockTag: 'latest' })
    return false
  } catch (error) {
    return revertMessage(error) !== undefined
  }
}
