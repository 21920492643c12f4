import { codePointEnd } from '../unicode/code-point.ts'
import {
  caseless,
  hanAndKana,
  lineBreaks,
  lower,
  mark,
  number,
  other,
  space,
  symbol,
  upper,
  whiteSpace,
} from '../unicode/unicode-classes.ts'
import { scanThreeNumbers } from './scan-numbers.ts'
import { leaveLast, runEnd } from './scan-white-space.ts'
import type { Scanner } from './scanner.ts'
import type { TextWindow } from './text-window.ts'

/** Sets without Han and kana; the same sets shifted by sixteen contain only Han and kana. */
const wordParts: number = plainSet(upper, lower, caseless, mark)
const punctuation: number = plainSet(symbol)
const prefixes: number = plainSet(other, space)
const others: number = plainSet(other)
const numbers: number = plainSet(number)

/** The text is split around numbers, Han and kana, then each part is scanned separately. */
const partEnds: number = numbers | hanAndKana

/** DeepSeek V3, R1 and V4. */
export const scanDeepseek: Scanner = (window, position) => {
  const { bytes, classes } = window
  const kind = classes[position] ?? 0
  if ((wordParts >>> kind) & 1) return runEnd(classes, position + 1, wordParts)
  if ((hanAndKana >>> kind) & 1) return scanHanOrKana(window, position)
  if ((numbers >>> kind) & 1) return scanThreeNumbers(window, position)
  if (isAsciiPunctuation(bytes[position] ?? 0) && isAsciiLetter(bytes[position + 1] ?? 0)) {
    return asciiLettersEnd(bytes, position + 2)
  }
  if ((prefixes >>> kind) & 1) {
    const next = codePointEnd(bytes, position)
    if ((wordParts >>> (classes[next] ?? 0)) & 1) return runEnd(classes, next + 1, wordParts)
  }
  const start = bytes[position] === 0x20 ? position + 1 : position
  if ((punctuation >>> (classes[start] ?? 0)) & 1) {
    return runEnd(classes, runEnd(classes, start + 1, punctuation), lineBreaks)
  }
  return (others >>> kind) & 1 ? scanOthers(window, position, 0) : scanSpaces(window, position)
}

/** A part of Han and kana: letters and marks, punctuation, and code points without a character. */
function scanHanOrKana(window: TextWindow, position: number): number {
  const { classes } = window
  const kind = classes[position] ?? 0
  if (((wordParts << 16) >>> kind) & 1) return runEnd(classes, position + 1, wordParts << 16)
  if (((punctuation << 16) >>> kind) & 1) return runEnd(classes, position + 1, punctuation << 16)
  const next = codePointEnd(window.bytes, position)
  if (((wordParts << 16) >>> (classes[next] ?? 0)) & 1) {
    return runEnd(classes, next + 1, wordParts << 16)
  }
  return scanOthers(window, position, 16)
}

function plainSet(...classes: readonly number[]): number {
  return classes.reduce((set, value) => set | (1 << value), 0)
}

/** Text that no rule matches stays together, except for a last character that begins a word. */
function scanOthers({ bytes, classes }: TextWindow, position: number, shift: number): number {
  const stop = runEnd(classes, position, others << shift)
  if ((((wordParts << shift) >>> (classes[stop] ?? 0)) & 1) === 0) return stop
  let last = stop - 1
  while (((bytes[last] ?? 0) & 0xc0) === 0x80) last -= 1
  return last
}

function scanSpaces(window: TextWindow, position: number): number {
  const { bytes, classes } = window
  const stop = runEnd(classes, position, whiteSpace)
  for (let at = stop - 1; at >= position; at -= 1) {
    if (bytes[at] === 10 || bytes[at] === 13) return at + 1
  }
  return (partEnds >>> (classes[stop] ?? 0)) & 1 ? stop : leaveLast(window, position, stop)
}

function isAsciiLetter(byte: number): boolean {
  return (byte | 32) >= 97 && (byte | 32) <= 122
}

function isAsciiPunctuation(byte: number): boolean {
  return byte > 32 && byte < 127 && !isAsciiLetter(byte) && !(byte >= 48 && byte <= 57)
}

function asciiLettersEnd(bytes: Uint8Array, position: number): number {
  let at = position
  while (isAsciiLetter(bytes[at] ?? 0)) at += 1
  return at
}
