import type { Hex } from '@farebox/ledger'
import { type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { lowerHex } from '../chain/hex.ts'
import { revertMessage } from '../chain/rpc-client.ts'
import { broadcast } from './broadcast.ts'
import { type GasFees, replacementFees } from './gas-fees.ts'
import type { PendingEntry } from './pending-transactions.ts'
import type { QueueParts } from './queue-parts.ts'
import { createReceiptBoard, type ReceiptBoard } from './receipt-board.ts'
import type { QueueOutcome, TransactionCall } from './transaction-call.ts'

export type TransactionWatch = {
  /** Something waits: look at the chain until nothing does. */
  wake(): void
  receiptOf(transaction: Hex, timeoutMs: number): Promise<TransactionReceipt | undefined>
  close(): void
}

export type WatchOptions = {
  readonly pollMs: number
  readonly stuckAfterMs: number
  /** Sends a call again under a new nonce, after somebody else used up its own. */
  readonly resend: (call: TransactionCall) => Promise<QueueOutcome>
}

type WatchParts = QueueParts & WatchOptions & { readonly board: ReceiptBoard }

/** Looks after what was sent: one question per round for all of it, while anything waits. */
export function watchTransactions(queue: QueueParts, options: WatchOptions): TransactionWatch {
  const parts: WatchParts = { ...queue, ...options, board: createReceiptBoard() }
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function wake(): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(() => void round(), options.pollMs)
    timer.unref()
  }

  async function round(): Promise<void> {
    try {
      await lookAfter(parts)
    } catch {
      // The node is silent; the next round asks again.
    }
    timer = undefined
    if (queue.pending.size() > 0) wake()
    else queue.pending.forgetNext()
  }

  return {
    wake,
    async receiptOf(transaction, timeoutMs) {
      const waits = parts.board.wait(transaction, timeoutMs)
      const waiting = queue.pending.find((entry) => entry.transactions.includes(transaction))
      if (waiting === undefined) {
        const mined = parts.board.minedAs(transaction)
        const receipt = await receiptFrom(parts, mined).catch(() => undefined)
        if (receipt !== undefined) parts.board.post([transaction], receipt)
      }
      wake()
      return await waits
    },
    close() {
      closed = true
      clearTimeout(timer)
      parts.board.close()
    },
  }
}

async function lookAfter(parts: WatchParts): Promise<void> {
  const { client, account, pending } = parts
  const mined = await client.getTransactionCount({ address: account.address, blockTag: 'latest' })
  const entries = pending.inOrder()
  await Promise.all(
    entries.filter((entry) => entry.nonce < mined).map((entry) => collect(parts, entry)),
  )
  const waiting = entries.filter((entry) => entry.nonce >= mined)
  for (const entry of waiting.filter((candidate) => candidate.doubtful)) {
    await sendAgain(parts, entry)
  }
  const [oldest] = waiting
  if (oldest === undefined || !isOlder(parts, oldest, parts.stuckAfterMs / 4)) return
  await restoreDropped(parts, waiting, mined)
  for (const entry of waiting.filter((candidate) =>
    isOlder(parts, candidate, parts.stuckAfterMs),
  )) {
    await parts.serial(() => replace(parts, entry))
  }
}

function isOlder({ clock }: WatchParts, entry: PendingEntry, age: number): boolean {
  return clock() - entry.sentAt > age
}

/** Rounds that a spent nonce may be without a receipt, since nodes index receipts late. */
const patience = 20

/** The nonce is spent: by one of ours, or by another process with the same key. */
async function collect(parts: WatchParts, entry: PendingEntry): Promise<void> {
  const { pending, board } = parts
  for (const transaction of entry.transactions.toReversed()) {
    const receipt = await receiptFrom(parts, transaction)
    if (receipt !== undefined) {
      pending.remove(entry.nonce)
      board.post(entry.transactions, receipt)
      return
    }
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

async function receiptFrom(
  { client }: WatchParts,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}

/** How often a node may refuse the same bytes before their nonce goes to a transfer of nothing. */
const refusalLimit = 10

async function sendAgain(parts: WatchParts, entry: PendingEntry): Promise<void> {
  const { client, pending } = parts
  const { nonce } = entry
  const outcome = await broadcast(client, entry.raw)
  if (outcome.status === 'accepted') {
    pending.change(nonce, { doubtful: false, refusals: 0 })
  } else if (outcome.status === 'unclear' && outcome.reason !== 'no_answer') {
    pending.change(nonce, { refusals: entry.refusals + 1 })
    if (entry.refusals >= refusalLimit) await parts.serial(() => giveUp(parts, entry))
  }
}

/** Nobody mines these bytes, and their nonce would hold up all that come after. */
async function giveUp(parts: WatchParts, entry: PendingEntry): Promise<void> {
  const fees = await parts.fees()
  if (fees === 'fee_cap') return
  await putInPlace(parts, entry, { call: noOp(parts), gas: noOpGas, fees })
  parts.board.abandon(entry.transactions)
  parts.notify({ type: 'stuck', nonce: entry.nonce, reason: 'refused by the node' })
}

/** Signs another transaction for a nonce and sends it. */
async function putInPlace(
  { sign, client, pending }: WatchParts,
  { nonce, transactions }: PendingEntry,
  next: { readonly call: TransactionCall; readonly gas: bigint; readonly fees: GasFees },
): Promise<Hex> {
  const { raw, transaction } = await sign({ ...next, nonce })
  const refusals = 0
  pending.change(nonce, {
    ...next,
    raw,
    transaction,
    refusals,
    transactions: [...transactions, transaction],
  })
  const outcome = await broadcast(client, raw)
  pending.change(nonce, { doubtful: outcome.status === 'unclear' })
  return transaction
}

/** The most nonces that are filled at once. */
const gapLimit = 100

/** The node has forgotten some of what it took: it gets the same bytes again, and gaps are filled. */
async function restoreDropped(
  parts: WatchParts,
  waiting: readonly PendingEntry[],
  mined: number,
): Promise<void> {
  const { client, account } = parts
  const known = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
  const last = waiting.at(-1)?.nonce ?? mined
  const own = new Map(waiting.map((entry) => [entry.nonce, entry]))
  for (let nonce = known; nonce <= Math.min(last, known + gapLimit); nonce += 1) {
    const entry = own.get(nonce)
    if (entry !== undefined) await sendAgain(parts, entry)
    else await parts.serial(() => fillGap(parts, nonce))
  }
}

const noOpGas = 21_000n

function noOp({ account }: QueueParts): TransactionCall {
  return { to: lowerHex(account.address), data: '0x', gas: noOpGas }
}

function isNoOp({ account }: QueueParts, entry: PendingEntry): boolean {
  return entry.call.data === '0x' && entry.call.to === lowerHex(account.address)
}

async function fillGap(parts: WatchParts, nonce: number): Promise<void> {
  const fees = await parts.fees()
  if (fees === 'fee_cap') return
  const { raw } = await parts.sign({ call: noOp(parts), gas: noOpGas, nonce, fees })
  await broadcast(parts.client, raw)
}

/** How often a transaction is replaced at a higher fee before it is left to wait. */
const replacementLimit = 6

/** Sends a transaction again at a higher fee, or in its place nothing when it would now revert. */
async function replace(parts: WatchParts, entry: PendingEntry): Promise<void> {
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
  const transaction = await putInPlace(parts, entry, { call, gas, fees })
  pending.change(nonce, { replacements: entry.replacements + 1 })
  parts.notify({ type: 'replaced', nonce, transaction })
}

async function wouldRevert(
  { client, account }: WatchParts,
  { to, data }: TransactionCall,
): Promise<boolean> {
  try {
    await client.estimateGas({ account: account.address, to, data })
    return false
  } catch (error) {
    return revertMessage(error) !== undefined
  }
}
