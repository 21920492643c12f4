import type { ChainReader } from '../chain/chain.ts'

/** Reads the number of the chain's head block; it may be a second old. */
export type IntentHead = () => Promise<number>

const freshMs = 1_000

/**
 * Reads the head for the intents of settlements, at most once a second: an older head only makes
 * the search for a settlement start earlier. Concurrent requests share one call.
 */
export function createIntentHead(
  chain: Pick<ChainReader, 'head'>,
  clock: () => number,
): IntentHead {
  let reading: { readonly startedAt: number; readonly number: Promise<number> } | null = null

  return async function intentHead() {
    const now = clock()
    if (reading === null || now - reading.startedAt >= freshMs) {
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
