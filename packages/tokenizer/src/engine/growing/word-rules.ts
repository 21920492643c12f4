import { countScanned, type Engine, normalize } from '../engine.ts'
import type { TextWindow } from '../scan/text-window.ts'
import type { ScannerName } from '../table/table-file.ts'
import {
  caseless,
  lineBreak,
  lineBreaks,
  lower,
  mark,
  numbers,
  other,
  setOf,
  space,
  symbol,
  upper,
  whiteSpace,
} from '../unicode/unicode-classes.ts'
import type { GrowingRules } from './growing-rules.ts'
import { longBytes } from './open-piece.ts'
import { composedUnits, wholeUnits } from './settled-units.ts'

/** The rules of vocabularies that merge bytes, within the words that a scanner finds. */
export function wordRules(engine: Engine): GrowingRules {
  const { scan, state, vocabulary } = engine
  const { normalization, scanner } = vocabulary.header
  const runs = runsOf(scanner)
  return {
    state,
    normalize: (text) => normalize(engine, text),
    settledUnits: normalization === 'NFC' ? composedUnits : wholeUnits,
    scan,
    resume: (window, { pieces, known }) => {
      const [first] = pieces
      const last = pieces.at(-1)
      if (last !== undefined && known - last.start >= longBytes && continues(window, known, runs)) {
        return { kept: pieces.length - 1, from: window.length }
      }
      if (first === undefined) return { kept: 0, from: 0 }
      const stop = Math.min(first.stop, known)
      const isLong = stop - first.start >= longBytes && scanner !== 'r50k'
      return { kept: 0, from: isLong ? lastBreak(window, stop) || first.start : first.start }
    },
    /**
     * All before the last piece but one. A scanner looks no further than to the end of the next
     * piece, which is known once another follows.
     */
    closed: (pieces, settled) =>
      Math.max(0, pieces.filter(({ start }) => start < settled).length - 2),
    count: (piece) => countScanned(state, piece),
  }
}

/** Two more kinds, besides the classes. */
const slash = 9
const notAscii: number = setOf(10)
const spaces: number = setOf(space)
const anyLetters: number = setOf(upper, lower, caseless, mark)
const smallLetters: number = setOf(lower, caseless, mark)
const anySymbols: number = setOf(symbol, other, mark, slash)
const lineEnds: number = setOf(lineBreak, slash)

/** Kinds that, if they are found together within a long piece, extend it in any order. */
function runsOf(scanner: ScannerName): readonly number[] {
  const runs = [setOf(upper), numbers, spaces, lineBreaks, anySymbols]
  if (scanner === 'o200k' || scanner === 'tekken') return [...runs, smallLetters, lineEnds]
  return scanner === 'r50k' ? [...runs, anyLetters, whiteSpace] : [...runs, anyLetters]
}

/** Bytes that show of which kinds the end of a long piece is: more than its first character. */
const shownBytes = 64

/** Whether a long piece that ends at `known` continues to the end of the window. */
function continues(window: TextWindow, known: number, runs: readonly number[]): boolean {
  const shown = kindsOf(window, known - shownBytes, known)
  const added = kindsOf(window, known, window.length)
  const isShown = (added & ~shown) === 0
  return isShown && runs.some((run) => (shown & ~run & ~notAscii) === 0)
}

/**
 * The last line break of a long piece of spaces and line breaks, which ends with its last one; 0 for
 * other pieces.
 */
function lastBreak(window: TextWindow, stop: number): number {
  const kinds = kindsOf(window, stop - shownBytes, stop) & ~notAscii
  const hasBoth = (kinds & spaces) !== 0 && (kinds & lineBreaks) !== 0
  return hasBoth && (kinds & ~whiteSpace) === 0
    ? window.classes.lastIndexOf(lineBreak, stop - 1)
    : 0
}

/**
 * The classes of the characters of a text, as a set. In o200k's scanner, a slash may also follow the
 * line breaks behind symbols; in DeepSeek's, a word behind a symbol has only letters of ASCII.
 */
function kindsOf({ bytes, classes }: TextWindow, start: number, stop: number): number {
  let kinds = 0
  for (let at = start; at < stop; at += 1) {
    const byte = bytes[at] ?? 0
    kinds |= 1 << (byte === 0x2f ? slash : (classes[at] ?? 0))
    if (byte >= 0x80) kinds |= notAscii
  }
  return kinds
}
