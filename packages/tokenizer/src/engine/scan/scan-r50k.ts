import { letters, numbers, symbols } from '../unicode/unicode-classes.ts'
import { contractionEnd } from './contraction.ts'
import { runEnd, scanWhiteSpaceRun } from './scan-white-space.ts'
import type { Scanner } from './scanner.ts'

/** r50k_base and p50k_base: the pattern of GPT-2. */
export const scanR50k: Scanner = (window, position) => {
  const { bytes, classes } = window
  const contraction = contractionEnd(bytes, position)
  if (contraction > position) return contraction
  const start = bytes[position] === 0x20 ? position + 1 : position
  const kind = classes[start] ?? 0
  if ((letters >>> kind) & 1) return runEnd(classes, start + 1, letters)
  if ((numbers >>> kind) & 1) return runEnd(classes, start + 1, numbers)
  if ((symbols >>> kind) & 1) return runEnd(classes, start + 1, symbols)
  return scanWhiteSpaceRun(window, position)
}
