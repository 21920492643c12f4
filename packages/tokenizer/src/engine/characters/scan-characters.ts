import type { BpeState } from '../bpe/bpe-state.ts'
import { childSlot, endsToken } from '../bpe/trie.ts'
import { codePointAt, codePointEnd, codePointWidth } from '../unicode/code-point.ts'
import { type CharacterJoins, mayJoin } from './character-joins.ts'
import type { CharacterWindow } from './character-window.ts'
import type { SymbolStarts } from './symbol-starts.ts'

/** Data for cutting a text into pieces. */
export type CharacterScan = {
  readonly state: BpeState
  readonly joins: CharacterJoins
  readonly starts: SymbolStarts
  /** Tokens from here on are symbols. */
  readonly firstSymbol: number
}

/**
 * Returns the end of the piece that starts at `start`: a symbol, or the text up to the next symbol
 * or up to two characters that are not neighbors in any token. The end of a window may cut a piece,
 * unless it is the last window.
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
  let at = codePointEnd(bytes, start)
  while (at < length) {
    const byte = bytes[at] ?? 0
    const after = byte < 0x80 ? byte : codePointAt(bytes, at)
    if (!mayJoin(joins, before, after)) return at
    if (starts.bytes[byte] === 1) {
      const end = symbolEnd(scan, window, at)
      if (end !== none) return end === undecided ? length : at
    }
    before = after
    at += byte < 0x80 ? 1 : codePointWidth(byte)
  }
  return length
}

const none = -1
const undecided = Number.MAX_SAFE_INTEGER

/** The end of the longest symbol at `start`, `none`, or `undecided` if the window is too short. */
function symbolEnd(scan: CharacterScan, window: CharacterWindow, start: number): number {
  const { bytes, length, isLast } = window
  const { state, starts, firstSymbol } = scan
  const first = bytes[start] ?? 0
  const second = bytes[start + 1] ?? 0
  if (start + 1 < length && starts.pairs[(first << 8) | second] === 0) return none
  const { nodes, tokenAt } = state.tables
  let slot = 0
  let found = none
  let at = start
  while (at < length) {
    slot = childSlot(nodes, slot, bytes[at] ?? 0)
    if (slot === 0) break
    at += 1
    if (endsToken(nodes[slot] ?? 0) && (tokenAt[slot] ?? 0) >= firstSymbol) found = at
  }
  state.steps += at - start
  return at === length && !isLast ? undecided : found
}
