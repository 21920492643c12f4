import type { BpeTables } from './bpe-tables.ts'

/**
 * The tokens of up to three bytes, where merges make every token: two that are no token stay apart,
 * and of three that are none two join if they are one.
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
  const pair = childOf(nodes, childOf(nodes, root, first), second)
  if (length === 2) return pair & holdsToken ? 1 : 2
  if (childOf(nodes, pair, third) & holdsToken) return 1
  if (pair & holdsToken) return 2
  return childOf(nodes, childOf(nodes, root, second), third) & holdsToken ? 2 : 3
}

/** The tokens of the code point of three bytes at `start`. */
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

const holdsToken = 512

/** The node of a byte behind a node, or 0, which has no children. */
function childOf(nodes: Int32Array, node: number, byte: number): number {
  const child = nodes[(node >>> 10) + byte] ?? 0
  return (child & 0x1ff) === (0x100 | byte) ? child : 0
}
