import { unicodeRuns } from './unicode-runs.gen.ts'

/** Classes of code points, Unicode 16. Each byte of a text has the class of its code point. */
export const other = 0
export const upper = 1
export const lower = 2
/** Modifier and other letters, without case. */
export const caseless = 3
export const mark = 4
export const number = 5
export const space = 6
/** CR and LF. */
export const lineBreak = 7
/** Punctuation and symbols. */
export const symbol = 8
/** After the last byte of a window. */
export const end = 15

/** Added to the classes of Han and kana, which DeepSeek's pre-tokenizer treats separately. */
const hanOrKana = 16

/** A set of classes as bits; `contains(set, class)` is `(set >>> class) & 1`. */
export function setOf(...classes: readonly number[]): number {
  let set = 0
  for (const value of classes) set |= (1 << value) | (1 << (value + hanOrKana))
  return set
}

export const letters: number = setOf(upper, lower, caseless)
export const symbols: number = setOf(other, mark, symbol)
export const numbers: number = setOf(number)
export const whiteSpace: number = setOf(space, lineBreak)
export const lineBreaks: number = setOf(lineBreak)
/** Han and kana of any class. */
export const hanAndKana: number = -65536

/**
 * Blocks of 64 code points, the range of the last byte in UTF-8; equal blocks are stored once.
 * The class of a code point is `classes[blockStarts[codePoint >>> 6] + (codePoint & 63)]`.
 */
export type ClassTable = { readonly blockStarts: Uint16Array; readonly classes: Uint8Array }

/** Unicode 16 has 420 different blocks. */
const maxClasses = 1 << 15

export const classTable: ClassTable = buildTable()

/** The class of a code point. */
export function classOf(codePoint: number): number {
  const { blockStarts, classes } = classTable
  return classes[(blockStarts[codePoint >>> 6] ?? 0) + (codePoint & 63)] ?? other
}

function buildTable(): ClassTable {
  const building: Building = {
    blockStarts: new Uint16Array(0x4400),
    classes: new Uint8Array(maxClasses),
    size: 0,
    uniform: [],
  }
  let start = 0
  let length = 0
  for (let index = 0; index < unicodeRuns.length; index += 1) {
    const code = unicodeRuns.charCodeAt(index)
    if (code >= 65 && code <= 90) {
      addRun(building, { start, stop: start + length, value: code - 65 })
      start += length
      length = 0
    } else length = length * 36 + (code >= 97 ? code - 87 : code - 48)
  }
  return { blockStarts: building.blockStarts, classes: building.classes.slice(0, building.size) }
}

type Building = {
  readonly blockStarts: Uint16Array
  readonly classes: Uint8Array
  /** How much of `classes` is in use. */
  size: number
  /** The start of the block that contains only one class, by class. */
  readonly uniform: number[]
}

/** Code points from `start` to before `stop`, all of class `value`. */
type Run = { readonly start: number; readonly stop: number; readonly value: number }

function addRun(building: Building, { start, stop, value }: Run): void {
  const { blockStarts, classes, uniform } = building
  let place = start
  for (; (place & 63) !== 0 && place < stop; place += 1) {
    classes[(blockStarts[place >>> 6] ?? 0) + (place & 63)] = value
  }
  const behindWhole = stop >>> 6
  if (place >>> 6 < behindWhole) {
    uniform[value] ??= appendBlock(building, value)
    blockStarts.fill(uniform[value], place >>> 6, behindWhole)
    place = behindWhole << 6
  }
  // Later runs overwrite the rest of its last block.
  if (place < stop) blockStarts[place >>> 6] = appendBlock(building, value)
}

function appendBlock(building: Building, value: number): number {
  const start = building.size
  building.size += 64
  building.classes.fill(value, start, building.size)
  return start
}
