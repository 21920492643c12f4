import { hash } from 'node:crypto'
import type { JsonBody } from '@farebox/http'
import type { Priced } from '../paid-endpoint.ts'

/** The quotes of recent requests, so that the paid request after a 402 is not priced again. */
export type QuoteMemory<Sale> = {
  /** The quote of an identical body at the current prices, or else of `quote`, which is then kept. */
  quoted(body: JsonBody, quote: () => Promise<Priced<Sale>>): Promise<Priced<Sale>>
}

export type QuoteMemoryOptions = {
  /** The current prices: another object once any of them changes. */
  readonly prices: () => object
  /** The most memory for the kept quotes, roughly, in bytes. */
  readonly maxBytes?: number
}

type Priceable<Sale> = Extract<Priced<Sale>, { readonly status: 'priced' }>
type Kept<Sale> = {
  readonly priced: Priceable<Sale>
  readonly prices: object
  readonly bytes: number
}

const defaultMaxBytes = 8 * 1024 * 1024
/** Larger bodies are priced again: a client that sends a few of them must not evict all others. */
const maxBodyBytes = 64 * 1024
/** A parsed body takes several times its bytes, and its quote some kilobytes. */
const bytesPerBodyByte = 6
const bytesPerQuote = 8 * 1024

/**
 * Keeps quotes by the SHA-256 of the body, the least recently used dropped first. A quote depends on
 * the body and the prices alone; while an earlier price is still honored, it depends on the time as
 * well and is not kept.
 */
export function createQuoteMemory<Sale>(options: QuoteMemoryOptions): QuoteMemory<Sale> {
  const { prices, maxBytes = defaultMaxBytes } = options
  const kept = new Map<string, Kept<Sale>>()
  let keptBytes = 0

  function drop(key: string): void {
    keptBytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  function keep(key: string, entry: Kept<Sale>): void {
    drop(key)
    kept.set(key, entry)
    keptBytes += entry.bytes
    for (const oldest of kept.keys()) {
      if (keptBytes <= maxBytes) return
      drop(oldest)
    }
  }

  return {
    async quoted(body, quote) {
      const bytes = keyBytes(body)
      if (bytes === undefined) return await quote()
      const key = digestOf(bytes)
      const current = prices()
      const found = kept.get(key)
      if (found?.prices === current) {
        keep(key, found)
        return found.priced
      }
      const priced = await quote()
      if (priced.status === 'priced' && priced.offers.length === 1) {
        const size = bytesPerQuote + bytesPerBodyByte * lengthOf(bytes)
        keep(key, { priced, prices: current, bytes: size })
      }
      return priced
    },
  }
}

function keyBytes(body: JsonBody): readonly Uint8Array[] | undefined {
  if (body.status !== 'json' || body.bytes === undefined) return undefined
  return lengthOf(body.bytes) > maxBodyBytes ? undefined : body.bytes
}

function digestOf(blocks: readonly Uint8Array[]): string {
  const [first, ...others] = blocks
  const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(blocks)
  return hash('sha256', bytes, 'base64')
}

function lengthOf(blocks: readonly Uint8Array[]): number {
  return blocks.reduce((sum, { length }) => sum + length, 0)
}
