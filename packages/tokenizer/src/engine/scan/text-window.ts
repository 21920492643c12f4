import {
  classOf,
  classTable,
  end,
  letters,
  lineBreak,
  number,
  numbers,
  other,
  setOf,
  space,
  symbol,
  whiteSpace,
} from '../unicode/unicode-classes.ts'
import { encodeUtf8Into } from '../unicode/utf8.ts'

/** A slice of a text as UTF-8, with the class of each byte's code point. */
export type TextWindow = {
  bytes: Uint8Array
  /** The same bytes as words; reads may go a few bytes beyond the text. */
  view: DataView
  classes: Uint8Array
  length: number
}

/** UTF-16 units per window: small enough that bytes and classes stay in the cache. */
const windowUnits = 1 << 14

/** Bytes after a window that may be read: classes that end every run, and words. */
const margin = 16
const windowBytes = windowUnits * 3 + margin

/** What always starts a piece when it follows a letter, in every scanner. */
const afterLetter: number = setOf(other, number, space, lineBreak, symbol)
/** The same after a number. */
const afterNumber: number = setOf(other, space, lineBreak, symbol)
/** The same for anything but white space. */
const afterAny: number = setOf(space)

const apostrophe = 0x27

export function createWindow(size: number = windowBytes): TextWindow {
  return { ...allocate(size), length: 0 }
}

/** Cuts a text into slices of about `units`, where every scanner starts a piece. */
export function sliceText(text: string, units: number): readonly string[] {
  const slices: string[] = []
  for (let start = 0; start < text.length; ) {
    const stop = nextCut(text, start, units)
    slices.push(text.slice(start, stop))
    start = stop
  }
  return slices
}

/**
 * Returns the end of the next window of `text` from `start`: a place where every scanner starts a
 * piece whatever surrounds it (a space after a character that is not white space; after a letter, a
 * character other than a letter, mark or apostrophe; after a number, one other than a letter, mark or
 * number), otherwise the end of the text.
 */
export function nextCut(text: string, start: number, size: number = windowUnits): number {
  for (let units = size; start + units < text.length; units *= 2) {
    const floor = units === size ? start : start + units / 2
    for (let index = start + units; index > floor; index -= 1) {
      if (isCut(text.charCodeAt(index - 1), text.charCodeAt(index))) return index
    }
  }
  return text.length
}

function isCut(before: number, after: number): boolean {
  const kind = unitClass(after)
  const last = unitClass(before)
  if ((letters >>> last) & 1) return ((afterLetter >>> kind) & 1) === 1 && after !== apostrophe
  if ((numbers >>> last) & 1) return ((afterNumber >>> kind) & 1) === 1
  return ((afterAny >>> kind) & 1) === 1 && ((whiteSpace >>> last) & 1) === 0
}

/** Half a surrogate pair has no class and is never a cut. */
function unitClass(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? end : classOf(unit)
}

/** Reads `text` from `start` to `stop`; a lone surrogate becomes U+FFFD. */
export function fillWindow(window: TextWindow, text: string, [start, stop]: Span): void {
  reserve(window, stop - start)
  window.length = 0
  appendText(window, text.slice(start, stop))
}

type Span = readonly [start: number, stop: number]

/** Adds a text to a window, which becomes larger if it must. */
export function appendText(window: TextWindow, text: string): void {
  const start = window.length
  const most = start + text.length * 3 + margin
  if (most > window.bytes.length) resize(window, most * 2)
  const { bytes, classes } = window
  const length = start + encodeUtf8Into(text, start === 0 ? bytes : bytes.subarray(start))
  window.length = length
  // This byte never occurs in UTF-8.
  bytes[length] = 0xff
  classify(window, start)
  classes.fill(end, length, length + 4)
}

/** Removes the first bytes of a window, and releases the memory of a long one. */
export function dropStart(window: TextWindow, start: number): void {
  const { bytes, classes, length } = window
  bytes.copyWithin(0, start, length + margin)
  classes.copyWithin(0, start, length + margin)
  window.length = length - start
  if (bytes.length > windowBytes && window.length * 4 < bytes.length) {
    resize(window, window.length * 2 + margin)
  }
}

function resize(window: TextWindow, size: number): void {
  const { bytes, classes, length } = window
  Object.assign(window, allocate(size))
  window.bytes.set(bytes.subarray(0, length + 1))
  window.classes.set(classes.subarray(0, length + 4))
}

/** Sets the class of each byte from `start` to that of its code point. */
function classify({ bytes, classes, length }: TextWindow, start: number): void {
  const { blockStarts, classes: classAt } = classTable
  let at = start
  while (at < length) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) {
      at = classifyAscii(bytes, classes, at)
    } else if (byte < 0xe0) {
      const value = classAt[(blockStarts[byte & 31] ?? 0) + ((bytes[at + 1] ?? 0) & 63)] ?? other
      classes[at] = value
      classes[at + 1] = value
      at += 2
    } else if (byte < 0xf0) {
      const block = ((byte & 15) << 6) | ((bytes[at + 1] ?? 0) & 63)
      const value = classAt[(blockStarts[block] ?? 0) + ((bytes[at + 2] ?? 0) & 63)] ?? other
      classes[at] = value
      classes[at + 1] = value
      classes[at + 2] = value
      at += 3
    } else {
      const high = ((byte & 7) << 12) | (((bytes[at + 1] ?? 0) & 63) << 6)
      const block = high | ((bytes[at + 2] ?? 0) & 63)
      const value = classAt[(blockStarts[block] ?? 0) + ((bytes[at + 3] ?? 0) & 63)] ?? other
      classes[at] = value
      classes[at + 1] = value
      classes[at + 2] = value
      classes[at + 3] = value
      at += 4
    }
  }
}

function classifyAscii(bytes: Uint8Array, classes: Uint8Array, start: number): number {
  const { classes: classAt } = classTable
  let at = start
  for (;;) {
    const byte = bytes[at] ?? 0
    if (byte >= 0x80) return at
    classes[at] = classAt[byte] ?? other
    at += 1
  }
}

function reserve(window: TextWindow, units: number): void {
  const size = units * 3 + margin
  if (size > window.bytes.length || units > windowUnits) {
    Object.assign(window, allocate(size))
  } else if (window.bytes.length > windowBytes) {
    // Release the memory of a long window.
    Object.assign(window, allocate(windowBytes))
  }
}

function allocate(size: number): Pick<TextWindow, 'bytes' | 'view' | 'classes'> {
  const bytes = new Uint8Array(size)
  return { bytes, view: new DataView(bytes.buffer), classes: new Uint8Array(size) }
}
