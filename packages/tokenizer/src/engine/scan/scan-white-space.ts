import { whiteSpace } from '../unicode/unicode-classes.ts'
import type { TextWindow } from './text-window.ts'

/** The end of the run of bytes whose classes are in `set`. */
export function runEnd(classes: Uint8Array, position: number, set: number): number {
  let at = position
  while ((set >>> (classes[at] ?? 0)) & 1) at += 1
  return at
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`: up to the last line break of the run, or all but its last character. */
export function scanWhiteSpace(window: TextWindow, position: number): number {
  const { bytes, classes } = window
  const stop = runEnd(classes, position, whiteSpace)
  for (let at = stop - 1; at >= position; at -= 1) {
    const byte = bytes[at]
    if (byte === 10 || byte === 13) return at + 1
  }
  return leaveLast(window, position, stop)
}

/** `\s+(?!\S)|\s+`: the whole run at the end of the text, otherwise all but its last character. */
export function scanWhiteSpaceRun(window: TextWindow, position: number): number {
  return leaveLast(window, position, runEnd(window.classes, position, whiteSpace))
}

/** A whole run of white space at the end of the text, otherwise all but its last character. */
export function leaveLast({ bytes, length }: TextWindow, position: number, stop: number): number {
  if (stop === length) return stop
  let last = stop - 1
  while (((bytes[last] ?? 0) & 0xc0) === 0x80) last -= 1
  return last > position ? last : stop
}
