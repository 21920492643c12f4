import type { Hex } from '@farebox/ledger'
import type { TransactionReceipt } from 'viem'

/** Where those who wait for a transaction and those who find its receipt meet. */
export type ReceiptBoard = {
  wait(transaction: Hex, timeoutMs: number): Promise<TransactionReceipt | undefined>
  /** The receipt of one of the transactions that were signed for the same nonce. */
  post(transactions: readonly Hex[], receipt: TransactionReceipt): void
  /** The transaction that was mined in a transaction's place; itself when it was not replaced. */
  minedAs(transaction: Hex): Hex
  /** None of them will ever be mined. */
  abandon(transactions: readonly Hex[]): void
  close(): void
}

type Answer = TransactionReceipt | undefined

/** How many replaced transactions are remembered for those who ask a little late. */
const kept = 1_000

export function createReceiptBoard(): ReceiptBoard {
  const replacements = new Map<Hex, Hex>()
  const waiters = new Map<Hex, Set<(answer: Answer) => void>>()

  function answer(transaction: Hex, receipt: Answer): void {
    for (const resolve of waiters.get(transaction) ?? []) resolve(receipt)
    waiters.delete(transaction)
  }

  return {
    wait(transaction, timeoutMs) {
      return new Promise((resolve) => {
        const asking = waiters.get(transaction) ?? new Set()
        waiters.set(transaction, asking)
        const timer = setTimeout(() => finish(undefined), timeoutMs)
        function finish(receipt: Answer): void {
          clearTimeout(timer)
          asking.delete(finish)
          if (asking.size === 0 && waiters.get(transaction) === asking) waiters.delete(transaction)
          resolve(receipt)
        }
        asking.add(finish)
      })
    },
    post(transactions, receipt) {
      const mined = receipt.transactionHash
      for (const transaction of transactions) {
        if (transaction !== mined) replacements.set(transaction, mined)
        answer(transaction, receipt)
      }
      for (const oldest of replacements.keys()) {
        if (replacements.size <= kept) break
        replacements.delete(oldest)
      }
    },
    minedAs: (transaction) => replacements.get(transaction) ?? transaction,
    abandon(transactions) {
      for (const transaction of transactions) answer(transaction, undefined)
    },
    close() {
      for (const transaction of waiters.keys()) answer(transaction, undefined)
    },
  }
}
