import { type BpeTables, crossingBits } from './bpe-tables.ts'
import type { Piece } from './piece.ts'

/** Bits before those of single bytes. */
const shortStart = 1 << crossingBits

/**
 * Whether any merge may cross the place `at` of a text. It only distinguishes places before a code
 * point of three or four bytes; elsewhere it returns `true`.
 *
 * Such a merge joins a token that ends with the bytes before and one that begins with the bytes
 * after. If both have three bytes or more, `crossings` has a bit for the three on each side,
 * otherwise for the one on each side. Most places between Han, kana or emoji have neither.
 */
export function mayCross({ crossings }: BpeTables, { bytes, view }: Piece, at: number): boolean {
  const behind = bytes[at] ?? 0
  const before = bytes[at - 1] ?? 0
  if (behind < 0xe0 || before < 0x80 || at < 3) return true
  const short = shortCrossing(before, behind)
  const long = longCrossing(view.getInt32(at - 3, true), view.getInt32(at, true))
  const found = ((crossings[short >>> 5] ?? 0) >>> short) | ((crossings[long >>> 5] ?? 0) >>> long)
  return (found & 1) === 1
}

function shortCrossing(before: number, behind: number): number {
  return shortStart + ((before << 8) | behind)
}

/** Takes the lower three bytes of each word, the first byte lowest. */
function longCrossing(before: number, behind: number): number {
  const mixed = Math.imul(before << 8, 0x9e3779b1) ^ Math.imul(behind << 8, 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> (32 - crossingBits)
}

/** Records the bytes that each merge joins, given each token's bytes. */
export function fillCrossings(tables: BpeTables, tokens: readonly (Uint8Array | null)[]): void {
  const { left, right, firstPart, crossings } = tables
  const note = (bit: number): void => {
    crossings[bit >>> 5] = (crossings[bit >>> 5] ?? 0) | (1 << bit)
  }
  for (let token = 0; token < firstPart; token += 1) {
    const first = tokens[left[token] ?? 0] ?? null
    const second = tokens[right[token] ?? 0] ?? null
    if (left[token] === token || first === null || second === null) continue
    const before = first.at(-1) ?? 0
    const behind = second[0] ?? 0
    if (first.length < 3 || second.length < 3) note(shortCrossing(before, behind))
    else if (before >= 0x80 && behind >= 0xe0) {
      note(longCrossing(wordOf(first.subarray(-3)), wordOf(second)))
    }
  }
}

function wordOf([first = 0, second = 0, third = 0]: Iterable<number>): number {
  return first | (second << 8) | (third << 16)
}
