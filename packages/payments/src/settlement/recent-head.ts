import type { Block, ChainReader } from '../chain/chain.ts'
import { createRecentReading } from '../scheduling/recent-reading.ts'

/** Returns a recent head of the chain. */
export type RecentHead = () => Promise<Block>

/**
 * Reads the head at most once a second: an older one only makes the search for a settlement start
 * earlier, and an authorization that expired by it has expired.
 */
export function createRecentHead(
  { head }: Pick<ChainReader, 'head'>,
  clock: () => number,
): RecentHead {
  return createRecentReading(head, { clock, freshMs: 1_000 })
}
