import { codePointEnd } from '../unicode/code-point.ts'
import {
  letters,
  lineBreaks,
  mark,
  other,
  setOf,
  space,
  symbol,
  symbols,
} from '../unicode/unicode-classes.ts'
import { foldedContractionEnd } from './contraction.ts'
import { scanOneNumber, scanThreeNumbers } from './scan-numbers.ts'
import { scanRest } from './scan-rest.ts'
import { runEnd } from './scan-white-space.ts'
import type { Scanner } from './scanner.ts'
import type { TextWindow } from './text-window.ts'

/** What may precede the letters of a word: anything but a letter, number, CR or LF. */
const prefixes: number = setOf(other, mark, space, symbol)

/** cl100k_base and Llama 3. */
export const scanCl100k: Scanner = (window, position) =>
  scanWordOrSymbols(window, position) || scanRest(window, position, scanThreeNumbers)

/** Qwen: cl100k with each digit separate. */
export const scanQwen: Scanner = (window, position) =>
  scanWordOrSymbols(window, position) || scanRest(window, position, scanOneNumber)

/** The contraction, word and symbol rules; 0 if none applies. */
function scanWordOrSymbols({ bytes, classes }: TextWindow, position: number): number {
  const kind = classes[position] ?? 0
  if ((letters >>> kind) & 1) return runEnd(classes, position + 1, letters)
  if (((prefixes >>> kind) & 1) === 0) return 0
  const contraction = foldedContractionEnd(bytes, position)
  if (contraction > position) return contraction
  const next = codePointEnd(bytes, position)
  const nextKind = classes[next] ?? 0
  if ((letters >>> nextKind) & 1) return runEnd(classes, next + 1, letters)
  const start = bytes[position] === 0x20 ? next : position
  if (((symbols >>> (classes[start] ?? 0)) & 1) === 0) return 0
  return runEnd(classes, runEnd(classes, start + 1, symbols), lineBreaks)
}
