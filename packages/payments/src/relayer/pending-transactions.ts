import type { Hex } from '@farebox/ledger'
import type { GasFees } from './gas-fees.ts'
import type { TransactionCall } from './transaction-call.ts'

/** An assigned nonce, and the latest transaction that was signed for it. */
type PendingTransaction = {
  readonly nonce: number
  readonly call: TransactionCall
  readonly gas: bigint
  readonly fees: GasFees
  readonly raw: Hex
  readonly transaction: Hex
  readonly sentAt: number
}

export type PendingEntry = PendingTransaction & {
  /** Every hash signed for the nonce: any of them may be the one that is mined. */
  readonly transactions: readonly Hex[]
  /** The node did not report whether it accepted the transaction. */
  readonly unclear: boolean
  /** How many times in a row the node rejected these bytes for its own reasons. */
  readonly rejections: number
  /** How often it was replaced at a higher fee. */
  readonly replacements: number
  /** How often its nonce was found used without a receipt of ours. */
  readonly missing: number
  /** The chain's head when it was preconfirmed, if it is. */
  readonly shownAt: number | undefined
}

/** The pending transactions, by nonce, and the next nonce. */
export type PendingTransactions = {
  size(): number
  inOrder(): readonly PendingEntry[]
  find(matches: (entry: PendingEntry) => boolean): PendingEntry | undefined
  /**
   * The nonce after the last assigned one; undefined while only the node knows it: another process may
   * have used the key since.
   */
  next(): number | undefined
  add(transaction: PendingTransaction): void
  /** How many were ever added. */
  sent(): number
  /** Frees the nonce of a transaction that was not sent. */
  release(nonce: number): void
  /** Another process's transaction has the nonce; ours continue from `following`. */
  yieldNonce(nonce: number, following: number): void
  change(nonce: number, change: Partial<PendingEntry>): void
  remove(nonce: number): void
}

/** For this long after a transaction, its nonce counts as the latest of the account. */
const nonceFreshMs = 1_000

export function createPendingTransactions(clock: () => number): PendingTransactions {
  const entries = new Map<number, PendingEntry>()
  let next: number | undefined
  let sent = 0
  let lastAt = 0

  function change(nonce: number, changes: Partial<PendingEntry>): void {
    const entry = entries.get(nonce)
    if (entry !== undefined) entries.set(nonce, { ...entry, ...changes })
  }

  return {
    size: () => entries.size,
    inOrder: () => [...entries.values()].sort((a, b) => a.nonce - b.nonce),
    find: (matches) => [...entries.values()].find(matches),
    next: () => (entries.size > 0 || clock() - lastAt < nonceFreshMs ? next : undefined),
    add(transaction) {
      const { nonce } = transaction
      entries.set(nonce, {
        ...transaction,
        transactions: [transaction.transaction],
        unclear: false,
        rejections: 0,
        replacements: 0,
        missing: 0,
        shownAt: undefined,
      })
      next = nonce + 1
      sent += 1
      lastAt = clock()
    },
    sent: () => sent,
    release(nonce) {
      entries.delete(nonce)
      next = entries.size === 0 ? undefined : nonce
    },
    yieldNonce(nonce, following) {
      entries.delete(nonce)
      next = following
    },
    change,
    remove: (nonce) => void entries.delete(nonce),
  }
}
