import type { BpeTables } from './bpe-tables.ts'

/** A character that is a token of its own: merging starts from it. */
export type CharacterAtom = {
  readonly token: number
  readonly codePoint: number
  readonly bytes: readonly number[]
}

/** Numbers below this are the tokens of single bytes, for characters that are no tokens. */
export const byteTokens = 256

const occupied = 256
const holdsToken = 512

/**
 * The single characters among the tokens of a vocabulary that merges characters, read from its trie.
 */
export function characterAtoms({ nodes, tokenAt, left }: BpeTables): readonly CharacterAtom[] {
  const atoms: CharacterAtom[] = []
  const walk = (slot: number, bytes: readonly number[]): void => {
    const node = nodes[slot] ?? 0
    const token = tokenAt[slot] ?? 0
    if (bytes.length > 0 && bytes.length === widthOf(bytes[0] ?? 0)) {
      const isAtom = (node & holdsToken) !== 0 && token >= byteTokens && left[token] === token
      if (isAtom) atoms.push({ token, codePoint: codePointOf(bytes), bytes })
      return
    }
    const base = node >>> 10
    for (let byte = 0; base > 0 && byte < 256; byte += 1) {
      const isChild = ((nodes[base + byte] ?? 0) & 0x1ff) === (occupied | byte)
      if (isChild) walk(base + byte, [...bytes, byte])
    }
  }
  walk(0, [])
  return atoms
}

/** Bytes of the character that begins with this byte. */
function widthOf(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xe0) return 2
  return byte < 0xf0 ? 3 : 4
}

function codePointOf(bytes: readonly number[]): number {
  const [first = 0, ...rest] = bytes
  const head = rest.length === 0 ? first : first & (0x3f >>> rest.length)
  return rest.reduce((sum, byte) => (sum << 6) | (byte & 0x3f), head)
}

/**
 * Fills `lengths` where single characters are the smallest parts: `fillDerived` takes every token
 * without parts for a byte.
 */
export function measureCharacters(tables: BpeTables): void {
  const { left, right, lengths } = tables
  for (const { token, bytes } of characterAtoms(tables)) lengths[token] = bytes.length
  eachJoined(tables, (token) => {
    lengths[token] = (lengths[left[token] ?? 0] ?? 0) + (lengths[right[token] ?? 0] ?? 0)
  })
}

/** Calls `visit` with each number that has two parts, behind both of them. */
export function eachJoined(tables: BpeTables, visit: (token: number) => void): void {
  const { left, firstPart } = tables
  const isMade = (token: number): boolean => (left[token] ?? 0) < firstPart
  for (let token = 0; token < firstPart; token += 1) {
    if (left[token] !== token && isMade(token)) visit(token)
  }
  for (let part = firstPart; part < left.length; part += 1) visit(part)
  for (let token = 0; token < firstPart; token += 1) if (!isMade(token)) visit(token)
}
