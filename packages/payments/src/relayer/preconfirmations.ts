import type { Hex } from '@farebox/ledger'
import type { TransactionReceipt } from 'viem'
import { createHeadWatch } from '../chain/head-watch.ts'
import { lowerHex } from '../chain/hex.ts'
import { readHeader } from '../rpc/block-header.ts'
import { createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'

/**
 * The receipts that a node shows of transactions whose block is still being built. They may be
 * revoked: they become true with the block, or not at all. A node of Base shows them every
 * 200 ms, in place of null: https://docs.base.org/base-chain/flashblocks/api-reference
 */
export type Preconfirmations = {
  /** Calls `onShown` with each receipt of a transaction or its replacements, until it is ended. */
  watch(transaction: Hex, onShown: (receipt: TransactionReceipt) => void): () => void
  /** Passes on a receipt of one of the transactions that were signed for the same nonce. */
  show(transactions: readonly Hex[], receipt: TransactionReceipt): void
  /** Whether the node's chain has a block after that number. */
  isPast(block: number): Promise<boolean>
  placeOf(receipt: TransactionReceipt): Promise<ReceiptPlace>
}

/** Where the block of a receipt is. */
export type ReceiptPlace =
  /** In the node's chain. */
  | { readonly status: 'sealed' }
  /** After the node's head. */
  | { readonly status: 'ahead'; readonly head: number }
  /** The node's chain has another block at that number. */
  | { readonly status: 'orphaned' }

/** Distinguishes preconfirmations from receipts for a transaction queue, with one more call per block. */
export function createPreconfirmations(options: RpcOptions): Preconfirmations {
  const client = createRpcClient(options)
  const readHead = createHeadWatch(client, options.freshMs ?? 0)
  const watching = new Map<Hex, Set<(receipt: TransactionReceipt) => void>>()

  return {
    watch(transaction, onShown) {
      const listeners = watching.get(transaction) ?? new Set()
      watching.set(transaction, listeners.add(onShown))
      return () => {
        listeners.delete(onShown)
        if (listeners.size === 0) watching.delete(transaction)
      }
    },
    show(transactions, receipt) {
      if (!isOf(transactions, receipt)) return
      for (const transaction of transactions) {
        for (const onShown of watching.get(transaction) ?? []) onShown(receipt)
      }
    },
    isPast: async (block) => (await readHead(block + 1)).number > block,
    async placeOf({ blockNumber, blockHash }) {
      const number = Number(blockNumber)
      const head = await readHead(number)
      if (head.number < number) return { status: 'ahead', head: head.number }
      const block = head.number === number ? head : await readHeader(client, number)
      return { status: block.hash === lowerHex(blockHash) ? 'sealed' : 'orphaned' }
    },
  }
}

/** Whether a receipt shows that one of the transactions succeeded, by its own logs. */
function isOf(
  transactions: readonly Hex[],
  { transactionHash, status, logs }: TransactionReceipt,
): boolean {
  return (
    status === 'success' &&
    transactions.includes(transactionHash) &&
    logs.every((log) => log.transactionHash === transactionHash)
  )
}
