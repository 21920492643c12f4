import type { ChainReader } from '../chain/chain.ts'
import { createRecentReading } from '../scheduling/recent-reading.ts'

/** Returns the block from which a settlement's logs are searched: a recent head of the chain. */
export type SearchFromBlock = () => Promise<number>

/**
 * Reads the head at most once a second: an older one only makes the search for a settlement start
 * earlier.
 */
export function createSearchFromBlock(
  chain: Pick<ChainReader, 'head'>,
  clock: () => number,
): SearchFromBlock {
  const readNumber = async (): Promise<number> => (await chain.head()).number
  return createRecentReading(readNumber, { clock, freshMs: 1_000 })
}
