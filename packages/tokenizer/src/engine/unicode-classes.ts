import { unicodeRuns } from './unicode-runs.gen.ts'

/** Classes of code points, Unicode 16. A byte of a text carries the class of its code point. */
export const other = 0
export const upper = 1
export const lower = 2
/** Modifier and other letters: neither case. */
export const caseless = 3
export const mark = 4
export const number = 5
export const space = 6
/** CR and LF. */
export const lineBreak = 7
/** Punctuation and symbols. */
export const symbol = 8
/** Behind the last byte of a window. */
export const end = 15

/** Added to the classes of the ranges that DeepSeek's pre-tokeniser sets apart. */
const hanOrKana = 16

const hanAndKanaRanges = [
  [0x4e00, 0x9fa5],
  [0x3040, 0x30ff],
] as const

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

/** 256 code points a block; equal blocks are stored once. */
type ClassTable = { readonly blockOf: Uint16Array; readonly classes: Uint8Array }

const table: ClassTable = buildTable()

/** The class of a code point. */
export function classOf(codePoint: number): number {
  const block = table.blockOf[codePoint >>> 8] ?? 0
  return table.classes[(block << 8) | (codePoint & 255)] ?? other
}

function buildTable(): ClassTable {
  const { flat, boundaries } = expandRuns()
  const blockOf = new Uint16Array(0x1100)
  const uniform = new Map<number, number>()
  const blocks: Uint8Array[] = []
  for (let index = 0; index < 0x1100; index += 1) {
    const block = flat.subarray(index << 8, (index + 1) << 8)
    const value = block[0] ?? other
    const known = boundaries[index] === 1 ? undefined : uniform.get(value)
    const id = known ?? blocks.push(block) - 1
    if (boundaries[index] !== 1) uniform.set(value, id)
    blockOf[index] = id
  }
  const classes = new Uint8Array(blocks.length << 8)
  for (const [id, block] of blocks.entries()) classes.set(block, id << 8)
  return { blockOf, classes }
}

/** The class of each code point, and 1 for each block in which a run begins behind its start. */
type Expanded = { readonly flat: Uint8Array; readonly boundaries: Uint8Array }

function expandRuns(): Expanded {
  const flat = new Uint8Array(0x110000)
  const boundaries = new Uint8Array(0x1101)
  const begin = (codePoint: number): void => {
    if ((codePoint & 255) !== 0) boundaries[codePoint >>> 8] = 1
  }
  let start = 0
  let length = 0
  for (let index = 0; index < unicodeRuns.length; index += 1) {
    const code = unicodeRuns.charCodeAt(index)
    const isClass = code >= 65 && code <= 90
    if (!isClass) {
      length = length * 36 + (code >= 97 ? code - 87 : code - 48)
      continue
    }
    flat.fill(code - 65, start, start + length)
    begin(start)
    start += length
    length = 0
  }
  for (const [first, last] of hanAndKanaRanges) {
    addHanAndKana(flat, first, last)
    begin(first)
    begin(last + 1)
  }
  return { flat, boundaries }
}

function addHanAndKana(flat: Uint8Array, first: number, last: number): void {
  for (let codePoint = first; codePoint <= last; codePoint += 1) {
    flat[codePoint] = (flat[codePoint] ?? 0) | hanOrKana
  }
}
