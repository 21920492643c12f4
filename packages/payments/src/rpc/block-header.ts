import type { Hex } from '@farebox/ledger'
import { BlockNotFoundError, numberToHex, type PublicClient } from 'viem'

/** What is needed of a block. Formatting all of it would cost more than reading it. */
export type BlockHeader = {
  readonly number: number
  readonly hash: Hex
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Wei; null on a chain without base fees. */
  readonly baseFeePerGas: bigint | null
}

/** Reads a block by its number, or the head of the chain. Throws viem's errors. */
export async function readHeader(
  client: PublicClient,
  at: number | 'latest',
): Promise<BlockHeader> {
  const params = [at === 'latest' ? at : numberToHex(at), false] as const
  const block = await client.request({ method: 'eth_getBlockByNumber', params: [...params] })
  if (block === null || block.number === null || block.hash === null) {
    throw new BlockNotFoundError(at === 'latest' ? {} : { blockNumber: BigInt(at) })
  }
  const { number, hash, timestamp } = block
  const baseFeePerGas = block.baseFeePerGas ?? null
  return {
    number: Number(number),
    hash: `0x${hash.slice(2).toLowerCase()}`,
    timestamp: Number(timestamp),
    baseFeePerGas: baseFeePerGas === null ? null : BigInt(baseFeePerGas),
  }
}
