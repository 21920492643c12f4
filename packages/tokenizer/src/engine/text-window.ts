import {
  classOf,
  end,
  letters,
  lineBreak,
  number,
  other,
  setOf,
  space,
  symbol,
} from './unicode-classes.ts'

/** A stretch of a text as UTF-8, with the class of each byte's code point beside it. */
export type TextWindow = {
  bytes: Uint8Array
  /** The same bytes, read as words; some bytes beyond the text may be read. */
  view: DataView
  classes: Uint8Array
  length: number
}

/** UTF-16 units read at once: small enough that bytes and classes stay in the cache. */
const windowUnits = 1 << 14

/** Bytes behind a window that may be read: classes that end every run, and words. */
const margin = 16

const asciiClasses: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => classOf(code))

/** What may follow a letter and then always starts a piece, in every scanner. */
const afterCut: number = setOf(other, number, space, lineBreak, symbol)

const apostrophe = 0x27

export function createWindow(): TextWindow {
  return { ...allocate(windowUnits), length: 0 }
}

/** Cuts a text where every scanner starts a piece, into stretches of about `units`. */
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
 * The end of the next window of `text` from `start`: a place where every scanner starts a piece
 * whatever lies around it (a letter before, no letter, mark or apostrophe behind), else the end.
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
  if ((letters >>> unitClass(before)) & 1) {
    return ((afterCut >>> unitClass(after)) & 1) === 1 && after !== apostrophe
  }
  return false
}

/** Half a surrogate pair has no class of its own and is never a cut. */
function unitClass(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? end : classOf(unit)
}

/** Reads `text` from `start` to `stop`; a lone surrogate becomes U+FFFD. */
export function fillWindow(window: TextWindow, text: string, [start, stop]: Span): void {
  reserve(window, stop - start)
  const { bytes, classes } = window
  let length = 0
  for (let index = start; index < stop; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) {
      bytes[length] = unit
      classes[length] = asciiClasses[unit] ?? other
      length += 1
    } else if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      const low = text.charCodeAt(index + 1)
      length = putAstral(window, length, 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff))
      index += 1
    } else {
      length = putBasic(window, length, (unit & 0xf800) === 0xd800 ? 0xfffd : unit)
    }
  }
  bytes[length] = 0
  classes.fill(end, length, length + 4)
  window.length = length
}

type Span = readonly [start: number, stop: number]

function putBasic({ bytes, classes }: TextWindow, at: number, codePoint: number): number {
  const value = classOf(codePoint)
  if (codePoint < 0x800) {
    bytes[at] = 0xc0 | (codePoint >>> 6)
    bytes[at + 1] = 0x80 | (codePoint & 63)
    classes[at] = value
    classes[at + 1] = value
    return at + 2
  }
  bytes[at] = 0xe0 | (codePoint >>> 12)
  bytes[at + 1] = 0x80 | ((codePoint >>> 6) & 63)
  bytes[at + 2] = 0x80 | (codePoint & 63)
  classes[at] = value
  classes[at + 1] = value
  classes[at + 2] = value
  return at + 3
}

function putAstral({ bytes, classes }: TextWindow, at: number, codePoint: number): number {
  bytes[at] = 0xf0 | (codePoint >>> 18)
  bytes[at + 1] = 0x80 | ((codePoint >>> 12) & 63)
  bytes[at + 2] = 0x80 | ((codePoint >>> 6) & 63)
  bytes[at + 3] = 0x80 | (codePoint & 63)
  classes.fill(classOf(codePoint), at, at + 4)
  return at + 4
}

function reserve(window: TextWindow, units: number): void {
  if (units * 3 + margin > window.bytes.length || units > windowUnits) {
    Object.assign(window, allocate(units))
  } else if (window.bytes.length > windowUnits * 3 + margin) {
    // A long window was needed once; its memory is not kept.
    Object.assign(window, allocate(windowUnits))
  }
}

function allocate(units: number): Pick<TextWindow, 'bytes' | 'view' | 'classes'> {
  const bytes = new Uint8Array(units * 3 + margin)
  return { bytes, view: new DataView(bytes.buffer), classes: new Uint8Array(units * 3 + margin) }
}
