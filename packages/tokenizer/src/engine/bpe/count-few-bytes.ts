import type { BpeTables } from './bpe-tables.ts'
import { childNode, endsToken } from './trie.ts'

/**
 * Counts the tokens of up to three bytes, if merges produce every token: two bytes that are not a
 * token stay apart; of three bytes that are not a token, two join if they are one.
 */
export function countFewBytes(tables: BpeTables, bytes: Uint8Array, { start, stop }: Span): number {
  const length = stop - start
  if (length === 1) return 1
  const { nodes } = tables
  const first = bytes[start] ?? 0
  const second = bytes[start + 1] ?? 0
  const third = bytes[start + 2] ?? 0
  if (first >= 0xe0) return countCharacter(tables, bytes, start)
  const root = nodes[0] ?? 0
  const pair = childNode(nodes, childNode(nodes, root, first), second)
  if (length === 2) return endsToken(pair) ? 1 : 2
  if (endsToken(childNode(nodes, pair, third))) return 1
  if (endsToken(pair)) return 2
  return endsToken(childNode(nodes, childNode(nodes, root, second), third)) ? 2 : 3
}

/** Counts the tokens of the code point of three bytes at `start`. */
export function countCharacter(
  { threeByteCounts }: BpeTables,
  bytes: Uint8Array,
  start: number,
): number {
  const middle = ((bytes[start + 1] ?? 0) & 63) << 6
  const last = (bytes[start + 2] ?? 0) & 63
  return threeByteCounts[(((bytes[start] ?? 0) & 15) << 12) | middle | last] ?? 0
}

type Span = { readonly start: number; readonly stop: number }
