import type { Hex } from '@farebox/ledger'
import type { TransactionReceipt } from 'viem'

/** Passes receipts from the code that finds them to the code that waits for them. */
export type ReceiptBoard = {
  wait(transaction: Hex, timeoutMs: number): Promise<TransactionReceipt | undefined>
  /** The receipt of one of the transactions that were signed for the same nonce. */
  post(transactions: readonly Hex[], receipt: TransactionReceipt): void
  /** The transaction that was mined in a transaction's place; itself when it was not replaced. */
  minedAs(transaction: Hex): Hex
  /** Ends the wait for transactions that will never be mined. */
  abandon(transactions: readonly Hex[]): void
  close(): void
}

/** How many replaced transactions are remembered, for callers that ask a little late. */
const kept = 1_000

export function createReceiptBoard(): ReceiptBoard {
  const replacements = new Map<Hex, Hex>()
  const waiters = new Map<Hex, Set<(receipt: TransactionReceipt | undefined) => void>>()

  function resolveWaiting(transaction: Hex, receipt: TransactionReceipt | undefined): void {
    for (const resolve of waiters.get(transaction) ?? []) resolve(receipt)
    waiters.delete(transaction)
  }

  return {
    wait(transaction, timeoutMs) {
      return new Promise((resolve) => {
        const waiting = waiters.get(transaction) ?? new Set()
        waiters.set(transaction, waiting)
        const timer = setTimeout(() => finish(undefined), timeoutMs)
        function finish(receipt: TransactionReceipt | undefined): void {
          clearTimeout(timer)
          waiting.delete(finish)
          if (waiting.size === 0 && waiters.get(transaction) === waiting)
            waiters.delete(transaction)
          resolve(receipt)
        }
        waiting.add(finish)
      })
    },
    post(transactions, receipt) {
      const mined = receipt.transactionHash
      for (const transaction of transactions) {
        if (transaction !== mined) replacements.set(transaction, mined)
        resolveWaiting(transaction, receipt)
      }
      for (const oldest of replacements.keys()) {
        if (replacements.size <= kept) break
        replacements.delete(oldest)
      }
    },
    minedAs: (transaction) => replacements.get(transaction) ?? transaction,
    abandon(transactions) {
      for (const transaction of transactions) resolveWaiting(transaction, undefined)
    },
    close() {
      for (const transaction of waiters.keys()) resolveWaiting(transaction, undefined)
    },
  }
}
