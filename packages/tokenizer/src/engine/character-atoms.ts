import type { BpeTables } from './bpe-tables.ts'

/** Numbers below this are the tokens of single bytes, for characters that are no tokens. */
export const byteTokens = 256

const occupied = 256
const holdsToken = 512

/** The first continuation byte, and the first byte behind the last one. */
const continuation = 0x80
const lead = 0xc0

/**
 * Calls `visit` with each character that is a token of its own, from which merging starts; they are
 * read from the trie.
 */
export function eachCharacter(
  { nodes, tokenAt, left }: BpeTables,
  visit: (token: number, codePoint: number) => void,
): void {
  const isChild = (slot: number, byte: number): boolean =>
    ((nodes[slot] ?? 0) & 0x1ff) === (occupied | byte)
  const found = (slot: number, codePoint: number): void => {
    const token = tokenAt[slot] ?? 0
    const isToken = ((nodes[slot] ?? 0) & holdsToken) !== 0
    if (isToken && token >= byteTokens && left[token] === token) visit(token, codePoint)
  }
  /** Follows the bytes that complete a character. */
  const walk = (slot: number, codePoint: number, missing: number): void => {
    if (missing === 0) {
      found(slot, codePoint)
      return
    }
    const base = (nodes[slot] ?? 0) >>> 10
    for (let byte = continuation; base > 0 && byte < lead; byte += 1) {
      const next = base + byte
      if (isChild(next, byte)) walk(next, (codePoint << 6) | (byte & 63), missing - 1)
    }
  }
  const root = (nodes[0] ?? 0) >>> 10
  for (let byte = 0; byte < 256; byte += 1) {
    if (!isChild(root + byte, byte) || (byte >= continuation && byte < lead)) continue
    const missing = byte < lead ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    walk(root + byte, missing === 0 ? byte : byte & (63 >>> missing), missing)
  }
}

/**
 * Fills `lengths` where single characters are the smallest parts: `fillDerived` takes every token
 * without parts for a byte.
 */
export function measureCharacters(tables: BpeTables): void {
  const { left, right, lengths } = tables
  eachCharacter(tables, (token, codePoint) => {
    lengths[token] = codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4
  })
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
