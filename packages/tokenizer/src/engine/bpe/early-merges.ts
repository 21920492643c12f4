import type { BpeTables, EarlyMerges } from './bpe-tables.ts'
import { childSlot } from './trie.ts'

/** Tokens from there on are left out. */
const maxTokens = 1 << 16

// Places of the precedences in a word of `EarlyMerges`; the third has the lowest bits.
const pair = 20
const before = 10

/** Takes about a millisecond. */
export function createEarlyMerges(tables: BpeTables): EarlyMerges {
  const { left, right } = tables
  const size = Math.min(maxTokens, left.length)
  const byteOf = singleBytes(tables, size)
  const firstByte = new Uint8Array(byteOf)
  const lastByte = new Uint8Array(byteOf)
  const early = new Int32Array(1 << 16)
  // Tokens come in the order of their numbers, so the first one is the lowest.
  for (let token = 0; token < size; token += 1) {
    const first = left[token] ?? 0
    const second = right[token] ?? 0
    if (first === token) continue
    firstByte[token] = firstByte[first] ?? 0
    lastByte[token] = lastByte[second] ?? 0
    const inner = ((lastByte[first] ?? 0) << 8) | (firstByte[second] ?? 0)
    const isByte = (byteOf[first] ?? -1) >= 0
    const endsInByte = (byteOf[second] ?? -1) >= 0
    const precedence = Math.trunc(1023 - Math.sqrt(token << 4))
    let word = early[inner] ?? 0
    if (isByte && endsInByte) word |= precedence << pair
    if (endsInByte && ((word >>> before) & 1023) === 0) word |= precedence << before
    if (isByte && (word & 1023) === 0) word |= precedence
    early[inner] = word
  }
  return early
}

/** The byte of each token that is one, -1 for the others. */
function singleBytes({ nodes, tokenAt }: BpeTables, size: number): Int16Array {
  const byteOf = new Int16Array(size).fill(-1)
  for (let byte = 0; byte < 256; byte += 1) {
    byteOf[tokenAt[childSlot(nodes, 0, byte)] ?? 0] = byte
  }
  return byteOf
}
