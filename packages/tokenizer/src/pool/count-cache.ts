import { hash } from 'node:crypto'
import type { CounterName } from '../counter/counter-name.ts'
import type { TokenCount } from '../counter/token-count.ts'

/** Counts by a cryptographic digest of the text, because a forged collision would change a price. */
export type CountCache = {
  readonly get: (key: string) => TokenCount | undefined
  readonly set: (key: string, count: TokenCount) => void
  readonly size: () => number
  /** Whether the cache is turned off, so that digests need not be computed. */
  readonly isOff: boolean
}

/** Memory of an entry: its key, its count, and its slot in the map. */
const entryBytes = 256

/** Below this many UTF-16 units counting a text is faster than digesting it and looking it up. */
export const cachedUnits = 2048

/** The key of a text. The text itself is not kept. */
export function cacheKey(counter: CounterName, text: string): string {
  return `${counter}:${hash('sha256', text, 'base64')}`
}

/** A cache of at most `bytes` that evicts the least recently used entry first. */
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
