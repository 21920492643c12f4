import type { Hex } from '@farebox/ledger'
import type { PublicClient } from 'viem'
import { ask, isTooLarge } from '../rpc/rpc-client.ts'
import { type MinedLog, readLog } from './token-logs.ts'

type LogFilter = {
  readonly address: Hex
  /** For each topic: one value, several of which one must match, or null for any. */
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
  readonly fromBlock: number
  readonly toBlock: number
}

/** Finds logs; nodes limit how many blocks or results one query may span. */
export type SearchLogs = (filter: LogFilter) => Promise<readonly MinedLog[]>

/**
 * Searches in steps of `blocksPerQuery`; a range that is too large for the node is halved.
 *
 * @throws {ChainError} when the node does not answer.
 */
export function createLogSearch(client: PublicClient, blocksPerQuery: number): SearchLogs {
  async function query(filter: LogFilter): Promise<readonly MinedLog[]> {
    try {
      const logs = await client.request({
        method: 'eth_getLogs',
        params: [rpcFilter(filter)],
      })
      return logs.flatMap((log) => readLog(log) ?? [])
    } catch (error) {
      if (filter.fromBlock >= filter.toBlock || !isTooLarge(error)) throw error
      const middle = Math.floor((filter.fromBlock + filter.toBlock) / 2)
      const first = await query({ ...filter, toBlock: middle })
      return [...first, ...(await query({ ...filter, fromBlock: middle + 1 }))]
    }
  }

  return async function searchLogs(filter) {
    const found: MinedLog[] = []
    for (let from = filter.fromBlock; from <= filter.toBlock; from += blocksPerQuery) {
      const toBlock = Math.min(from + blocksPerQuery - 1, filter.toBlock)
      const range = { ...filter, fromBlock: from, toBlock }
      found.push(...(await ask(`the logs of blocks ${from} to ${toBlock}`, () => query(range))))
    }
    return found
  }
}

/**
 * The logs of a transaction; undefined unless it was mined and succeeded.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readReceiptLogs(
  client: PublicClient,
  transaction: Hex,
): Promise<readonly MinedLog[] | undefined> {
  const receipt = await ask(`the receipt of ${transaction}`, () =>
    client.request({ method: 'eth_getTransactionReceipt', params: [transaction] }),
  )
  if (receipt === null || receipt.status !== '0x1') return undefined
  return receipt.logs.flatMap((log) => readLog(log) ?? [])
}

function rpcFilter({ address, topics, fromBlock, toBlock }: LogFilter): {
  address: Hex
  topics: (Hex | Hex[] | null)[]
  fromBlock: Hex
  toBlock: Hex
} {
  return {
    address,
    topics: topics.map((topic) =>
      typeof topic === 'string' || topic === null ? topic : [...topic],
    ),
    fromBlock: `0x${fromBlock.toString(16)}`,
    toBlock: `0x${toBlock.toString(16)}`,
  }
}
