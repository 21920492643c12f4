import type { ChainReader } from '../chain/chain.ts'

/** Returns the block from which a settlement's logs are searched: a recent head of the chain. */
export type SearchFromBlock = () => Promise<number>

const freshMs = 1_000

/**
 * Reads the head at most once a second: an older one only makes the search for a settlement start
 * earlier. Concurrent requests share one call.
 */
export function createSearchFromBlock(
  chain: Pick<ChainReader, 'head'>,
  clock: () => number,
): SearchFromBlock {
  let reading: { readonly startedAt: number; readonly number: Promise<number> } | null = null

  return async function searchFromBlock() {
    const now = clock()
    // The clock may have been set back.
    if (reading === null || Math.abs(now - reading.startedAt) >= freshMs) {
      reading = { startedAt: now, number: chain.head().then((block) => block.number) }
    }
    const current = reading
    try {
      return await current.number
    } catch (error) {
      if (reading === current) reading = null
      throw error
    }
  }
}
