import { hash } from 'node:crypto'
import type { CounterName } from '../counter/counter-name.ts'
import type { TokenCount } from '../counter/token-count.ts'

/** Counts of texts seen before, by a cryptographic digest: a forged collision would be a price. */
export type CountCache = {
  readonly get: (key: string) => TokenCount | undefined
  readonly set: (key: string, count: TokenCount) => void
  readonly size: () => number
  /** Whether it holds nothing at all, so that digests are in vain. */
  readonly isOff: boolean
}

/** What an entry takes: its key, its count, and its place in the map. */
const entryBytes = 256

/** Below this many UTF-16 units a text is counted sooner than it is digested and looked up. */
export const cachedUnits = 2048

/** The key of a text; the text itself is not kept. */
export function cacheKey(counter: CounterName, text: string): string {
  return `${counter}:${hash('sha256', text, 'base64')}`
}

/** A cache of at most `bytes`, the least recently used first to go. */
export function createCountCache(bytes: number): CountCache {
  const most = Math.floor(bytes / entryBytes)
  const entries = new Map<string, TokenCount>()
  return {
    get: (key) => {
      const found = entries.get(key)
      if (found === undefined) return undefined
      entries.delete(key)
      entries.set(key, found)
      return found
    },
    set: (key, count) => {
      if (most === 0) return
      entries.delete(key)
      entries.set(key, count)
      if (entries.size <= most) return
      const oldest = entries.keys().next()
      if (oldest.done !== true) entries.delete(oldest.value)
    },
    size: () => entries.size,
    isOff: most === 0,
  }
}
