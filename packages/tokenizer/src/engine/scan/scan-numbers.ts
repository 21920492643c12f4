import { codePointEnd } from '../unicode/code-point.ts'
import { numbers } from '../unicode/unicode-classes.ts'
import type { TextWindow } from './text-window.ts'

/** `\p{N}{1,3}` at a number. */
export function scanThreeNumbers({ bytes, classes }: TextWindow, position: number): number {
  let at = codePointEnd(bytes, position)
  if (((numbers >>> (classes[at] ?? 0)) & 1) === 0) return at
  at = codePointEnd(bytes, at)
  if (((numbers >>> (classes[at] ?? 0)) & 1) === 0) return at
  return codePointEnd(bytes, at)
}

/** `\p{N}` at a number. */
export function scanOneNumber({ bytes }: TextWindow, position: number): number {
  return codePointEnd(bytes, position)
}
