import type { BpeState } from './bpe-state.ts'
import { type CharacterJoins, mayJoin } from './character-joins.ts'
import type { CharacterWindow } from './character-window.ts'
import type { SymbolStarts } from './symbol-starts.ts'

/** What cutting a text into pieces needs. */
export type CharacterScan = {
  readonly state: BpeState
  readonly joins: CharacterJoins
  readonly starts: SymbolStarts
  /** Tokens from here on are symbols. */
  readonly firstSymbol: number
}

/**
 * Where the piece ends that starts at `start`: a symbol, or what stands before the next symbol or
 * between two characters that no token holds side by side. The end of a window that is not the last
 * may be no end.
 */
export function scanCharacters(
  scan: CharacterScan,
  window: CharacterWindow,
  start: number,
): number {
  const { bytes, length } = window
  const { joins, starts } = scan
  if (starts.bytes[bytes[start] ?? 0] === 1) {
    const end = symbolEnd(scan, window, start)
    if (end !== none) return Math.min(end, length)
  }
  let before = codePointAt(bytes, start)
  let at = start + widthOf(bytes[start] ?? 0)
  while (at < length) {
    const byte = bytes[at] ?? 0
    const after = byte < 0x80 ? byte : codePointAt(bytes, at)
    if (!mayJoin(joins, before, after)) return at
    if (starts.bytes[byte] === 1) {
      const end = symbolEnd(scan, window, at)
      if (end !== none) return end === undecided ? length : at
    }
    before = after
    at += byte < 0x80 ? 1 : widthOf(byte)
  }
  return length
}

const none = -1
const undecided = Number.MAX_SAFE_INTEGER

/** The end of the longest symbol at `start`, `none`, or `undecided` if the window ends too soon. */
function symbolEnd(scan: CharacterScan, window: CharacterWindow, start: number): number {
  const { bytes, length, isLast } = window
  const { state, starts, firstSymbol } = scan
  const first = bytes[start] ?? 0
  const second = bytes[start + 1] ?? 0
  if (start + 1 < length && starts.pairs[(first << 8) | second] === 0) return none
  const { nodes, tokenAt } = state.tables
  let node = nodes[0] ?? 0
  let found = none
  let at = start
  while (at < length) {
    const byte = bytes[at] ?? 0
    const slot = (node >>> 10) + byte
    node = nodes[slot] ?? 0
    if ((node & 0x1ff) !== (0x100 | byte)) break
    at += 1
    if ((node & 0x200) !== 0 && (tokenAt[slot] ?? 0) >= firstSymbol) found = at
  }
  state.steps += at - start
  return at === length && !isLast ? undecided : found
}

function codePointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return first
  const second = (bytes[at + 1] ?? 0) & 63
  if (first < 0xe0) return ((first & 31) << 6) | second
  const third = (bytes[at + 2] ?? 0) & 63
  if (first < 0xf0) return ((first & 15) << 12) | (second << 6) | third
  return ((first & 7) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] ?? 0) & 63)
}

/** Bytes of the character that begins with this byte. */
function widthOf(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xe0) return 2
  return byte < 0xf0 ? 3 : 4
}
