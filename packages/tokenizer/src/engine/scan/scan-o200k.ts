import { codePointEnd } from '../unicode/code-point.ts'
import {
  caseless,
  letters,
  lower,
  mark,
  other,
  setOf,
  space,
  symbol,
  symbols,
  upper,
} from '../unicode/unicode-classes.ts'
import { foldedContractionEnd } from './contraction.ts'
import { scanOneNumber, scanThreeNumbers } from './scan-numbers.ts'
import { scanRest } from './scan-rest.ts'
import { runEnd } from './scan-white-space.ts'
import type { Scanner } from './scanner.ts'
import type { TextWindow } from './text-window.ts'

const prefixes: number = setOf(other, mark, space, symbol)
const wordStarts: number = setOf(upper, lower, caseless, mark)
const capitals: number = setOf(upper, caseless, mark)
const smalls: number = setOf(lower, caseless, mark)
const neitherCase: number = setOf(caseless, mark)
const marks: number = setOf(mark)
const smallOnly: number = setOf(lower)

/** o200k_base, o200k_harmony. */
export const scanO200k: Scanner = (window, position) => {
  const word = scanWord(window, position)
  if (word > 0) return foldedContractionEnd(window.bytes, word)
  return scanSymbols(window, position) || scanRest(window, position, scanThreeNumbers)
}

/** Mistral's Tekken: o200k without contractions, with each digit separate. */
export const scanTekken: Scanner = (window, position) =>
  scanWord(window, position) ||
  scanSymbols(window, position) ||
  scanRest(window, position, scanOneNumber)

/** At most one other character, then capitals, then small letters; 0 if there is no word. */
function scanWord({ bytes, classes }: TextWindow, position: number): number {
  const kind = classes[position] ?? 0
  if ((letters >>> kind) & 1) return scanLetters(classes, position, kind)
  if (((prefixes >>> kind) & 1) === 0) return 0
  const next = codePointEnd(bytes, position)
  const nextKind = classes[next] ?? 0
  const found = (wordStarts >>> nextKind) & 1 ? scanLetters(classes, next, nextKind) : 0
  const isMark = (marks >>> kind) & 1
  if (!isMark) return found
  // A mark is also a letter of the word: if it cannot be the prefix, it begins the word.
  return found > 0 && endsCased(classes, next, found) ? next : found || next
}

/** Whether a word after a mark has only capitals, which a regular expression tries last. */
function endsCased(classes: Uint8Array, start: number, stop: number): boolean {
  return runEnd(classes, start, capitals) === stop && !hasNeitherCase(classes, start, stop)
}

function hasNeitherCase(classes: Uint8Array, start: number, stop: number): boolean {
  for (let at = start; at < stop; at += 1) if ((neitherCase >>> (classes[at] ?? 0)) & 1) return true
  return false
}

function scanLetters(classes: Uint8Array, start: number, kind: number): number {
  if ((smallOnly >>> kind) & 1) return runEnd(classes, start + 1, smalls)
  let at = start
  let neither = 0
  for (;;) {
    const value = classes[at] ?? 0
    if (((capitals >>> value) & 1) === 0) break
    at += 1
    if ((neitherCase >>> value) & 1) neither = at
  }
  if ((smallOnly >>> (classes[at] ?? 0)) & 1) return runEnd(classes, at + 1, smalls)
  return neither > 0 ? neither : at
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n/]*`; 0 if there is no symbol. */
function scanSymbols({ bytes, classes }: TextWindow, position: number): number {
  const start = bytes[position] === 0x20 ? position + 1 : position
  if (((symbols >>> (classes[start] ?? 0)) & 1) === 0) return 0
  let at = runEnd(classes, start + 1, symbols)
  for (;;) {
    const byte = bytes[at]
    if (byte !== 0x0a && byte !== 0x0d && byte !== 0x2f) return at
    at += 1
  }
}
