import type { BpeTables } from '../bpe/bpe-tables.ts'
import { eachCharacter, eachJoined } from '../bpe/character-atoms.ts'

/**
 * Which characters are neighbors in some token. Two characters that never are cannot merge, so a
 * text may be cut between them. A false positive only misses a cut; it never changes a token.
 */
export type CharacterJoins = {
  /** A byte for each pair of ASCII characters, at first × 128 + second. */
  readonly ascii: Uint8Array
  /** Bits for hashes of the other pairs. */
  readonly others: Uint8Array
}

const otherBits = 21

export function createCharacterJoins(tables: BpeTables): CharacterJoins {
  const { left, right } = tables
  const first = new Int32Array(left.length)
  const last = new Int32Array(left.length)
  eachCharacter(tables, (token, codePoint) => {
    first[token] = codePoint
    last[token] = codePoint
  })
  const ascii = new Uint8Array(1 << 14)
  const others = new Uint8Array(1 << (otherBits - 3))
  eachJoined(tables, (token) => {
    const a = left[token] ?? 0
    const b = right[token] ?? 0
    first[token] = first[a] ?? 0
    last[token] = last[b] ?? 0
    const before = last[a] ?? 0
    const after = first[b] ?? 0
    if ((before | after) < 128) ascii[(before << 7) | after] = 1
    else {
      const bit = hashCharacters(before, after)
      others[bit >>> 3] = (others[bit >>> 3] ?? 0) | (1 << (bit & 7))
    }
  })
  return { ascii, others }
}

/** Whether these code points may be neighbors in a token. */
export function mayJoin({ ascii, others }: CharacterJoins, before: number, after: number): boolean {
  if ((before | after) < 128) return ascii[(before << 7) | after] === 1
  const bit = hashCharacters(before, after)
  return (((others[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1
}

function hashCharacters(before: number, after: number): number {
  const mixed = Math.imul(Math.imul(before, 0x9e3779b1) ^ after, 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> (32 - otherBits)
}
