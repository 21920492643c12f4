import { codePointWidth } from '../unicode/code-point.ts'
import type { BpeTables } from './bpe-tables.ts'
import { childSlot, endsToken } from './trie.ts'

/** Numbers below this are the tokens of single bytes, for characters without a token. */
export const byteTokens = 256

/** The first continuation byte, and the byte after the last one. */
const continuation = 0x80
const lead = 0xc0

/**
 * Calls `visit` with each character that is a token, from which merging starts. They are read from
 * the trie.
 */
export function eachCharacter(
  { nodes, tokenAt, left }: BpeTables,
  visit: (token: number, codePoint: number) => void,
): void {
  const found = (slot: number, codePoint: number): void => {
    const token = tokenAt[slot] ?? 0
    const isToken = endsToken(nodes[slot] ?? 0)
    if (isToken && token >= byteTokens && left[token] === token) visit(token, codePoint)
  }
  /** Follows the bytes that complete a character. */
  const walk = (slot: number, codePoint: number, missing: number): void => {
    if (missing === 0) {
      found(slot, codePoint)
      return
    }
    for (let byte = continuation; byte < lead; byte += 1) {
      const next = childSlot(nodes, slot, byte)
      if (next > 0) walk(next, (codePoint << 6) | (byte & 63), missing - 1)
    }
  }
  for (let byte = 0; byte < 256; byte += 1) {
    const slot = byte >= continuation && byte < lead ? 0 : childSlot(nodes, 0, byte)
    if (slot === 0) continue
    const missing = codePointWidth(byte) - 1
    walk(slot, missing === 0 ? byte : byte & (63 >>> missing), missing)
  }
}

/** Calls `visit` with each number that has two parts, after both of them. */
export function eachJoined(tables: BpeTables, visit: (token: number) => void): void {
  const { left, firstPart } = tables
  const isMade = (token: number): boolean => (left[token] ?? 0) < firstPart
  for (let token = 0; token < firstPart; token += 1) {
    if (left[token] !== token && isMade(token)) visit(token)
  }
  for (let part = firstPart; part < left.length; part += 1) visit(part)
  for (let token = 0; token < firstPart; token += 1) if (!isMade(token)) visit(token)
}
