import { numbers } from '../unicode/unicode-classes.ts'
import { scanWhiteSpace } from './scan-white-space.ts'
import type { Scanner } from './scanner.ts'
import type { TextWindow } from './text-window.ts'

/** What is neither word nor symbol: a number, or white space. */
export function scanRest(window: TextWindow, position: number, scanNumber: Scanner): number {
  const isNumber = (numbers >>> (window.classes[position] ?? 0)) & 1
  return isNumber ? scanNumber(window, position) : scanWhiteSpace(window, position)
}
