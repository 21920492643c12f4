import type { BpeTables, EarlyMerges } from './bpe-tables.ts'
import { childSlot } from './trie.ts'

/** Stands for no token, and for the tokens from there on. */
export const noToken = 0xffff

/** Takes about a millisecond. */
export function createEarlyMerges(tables: BpeTables): EarlyMerges {
  const { left, right } = tables
  const size = Math.min(noToken, left.length)
  const byteOf = singleBytes(tables, size)
  const firstByte = new Uint8Array(size)
  const lastByte = new Uint8Array(size)
  const [pairs, before, behind] = [emptyTable(), emptyTable(), emptyTable()]
  for (let token = 0; token < size; token += 1) {
    const first = left[token] ?? 0
    const second = right[token] ?? 0
    if (first === token) {
      firstByte[token] = byteOf[token] ?? 0
      lastByte[token] = byteOf[token] ?? 0
      continue
    }
    firstByte[token] = firstByte[first] ?? 0
    lastByte[token] = lastByte[second] ?? 0
    const inner = ((lastByte[first] ?? 0) << 8) | (firstByte[second] ?? 0)
    const isByte = (byteOf[first] ?? -1) >= 0
    const endsInByte = (byteOf[second] ?? -1) >= 0
    // Tokens come in the order of their numbers, so the first one is the lowest.
    if (isByte && endsInByte) pairs[inner] = token
    if (endsInByte && before[inner] === noToken) before[inner] = token
    if (isByte && behind[inner] === noToken) behind[inner] = token
  }
  return { pairs, before, behind }
}

function emptyTable(): Uint16Array {
  return new Uint16Array(1 << 16).fill(noToken)
}

/** The byte of each token that is one, -1 for the others. */
function singleBytes({ nodes, tokenAt }: BpeTables, size: number): Int16Array {
  const byteOf = new Int16Array(size).fill(-1)
  for (let byte = 0; byte < 256; byte += 1) {
    byteOf[tokenAt[childSlot(nodes, 0, byte)] ?? 0] = byte
  }
  return byteOf
}
