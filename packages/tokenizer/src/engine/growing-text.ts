import { isValidPair } from './bpe/is-valid-pair.ts'
import { longestMatch, mergePiece } from './bpe/merge-piece.ts'
import { type Engine, release } from './engine.ts'
import { fillWindow, lastCut } from './scan/text-window.ts'
import { normalizeNfc } from './unicode/normalize-nfc.ts'
import {
  caseless,
  classOf,
  lineBreak,
  lower,
  setOf,
  space,
  symbol,
  upper,
  whiteSpace,
} from './unicode/unicode-classes.ts'
import { encodeUtf8 } from './unicode/utf8.ts'

/** What counts a text that grows without counting all of it again. */
export type GrowingText = {
  /** A place of a text where a piece starts whatever follows the text, or 0. */
  readonly stableCut: (text: string) => number
  /** The last piece of a text, if it is long and the text ends with characters of one kind. */
  readonly growLast: (text: string) => GrowingPiece | undefined
}

/** A piece at the end of a text that grows. */
export type GrowingPiece = {
  /** Adds to the text. Returns how many tokens more it has, `undefined` if the piece may end. */
  readonly extend: (text: string) => number | undefined
}

/** A shorter text is counted again as a whole. */
const longUnits = 64

export function createGrowingText(engine: Engine): GrowingText {
  return {
    stableCut: (text) => {
      const cut = lastCut(text)
      const rest = text.slice(cut)
      return rest.length < longUnits ? cut : cut + lastStablePiece(engine, rest)
    },
    growLast: (text) => (text.length < longUnits ? undefined : growLast(engine, text)),
  }
}

/**
 * The start of the last piece but one, or of one before. What is before it cannot change: a scanner
 * looks no further than to the end of the next piece, which is known once another follows. Half a
 * character at the end may still become any other. White space may be cut otherwise at the end of a
 * text than before a word, so it does not end there.
 */
function lastStablePiece(engine: Engine, text: string): number {
  const isHalf = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
  if (isHalf || !isNormal(engine, text)) return 0
  const { bytes, starts } = scanPieces(engine, text)
  for (const start of starts.slice(0, -1).reverse()) {
    const cut = unitsOf(bytes.subarray(0, start))
    if (((whiteSpace >>> classOf(text.charCodeAt(cut - 1))) & 1) === 0) return cut
  }
  return 0
}

type Scanned = { readonly bytes: Uint8Array; readonly starts: readonly number[] }

function scanPieces(engine: Engine, text: string): Scanned {
  const { window, scan } = engine
  fillWindow(window, text, [0, text.length])
  const starts: number[] = []
  for (let at = 0; at < window.length; at = scan(window, at)) starts.push(at)
  const bytes = window.bytes.slice(0, window.length)
  release(engine)
  return { bytes, starts }
}

/** UTF-16 units of a text: two for each code point of four bytes, one for any other. */
function unitsOf(bytes: Uint8Array): number {
  let units = 0
  for (const byte of bytes) units += byte >= 0xf0 ? 2 : Number((byte & 0xc0) !== 0x80)
  return units
}

function isNormal({ vocabulary }: Engine, text: string): boolean {
  return vocabulary.header.normalization === 'none' || normalizeNfc(text) === text
}

/** Kinds of which any number extends a piece, in every scanner. */
const extending: number = setOf(upper, lower, caseless, space, lineBreak, symbol)
/** In o200k's scanner, it may also follow the line breaks behind symbols. */
const slash = 0x2f

/** NaN, which equals nothing, if a character may end a piece of the same kind. */
function kindOf(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0
  const kind = classOf(codePoint)
  if (((extending >>> kind) & 1) === 0 || codePoint === slash) return Number.NaN
  // DeepSeek's scanner treats the letters of ASCII separately.
  return codePoint < 0x80 ? kind : kind | 0x80
}

/** A piece that ends with four letters does not end with a contraction, which has two. */
const sameKind = 4
/** No token is so long. */
const longBytes = 256

function growLast(engine: Engine, text: string): GrowingPiece | undefined {
  const ending = Array.from(text.slice(-2 * sameKind)).slice(-sameKind)
  const kind = kindOf(ending[0] ?? '')
  const isRun = ending.every((character) => kindOf(character) === kind)
  if (!isRun || !isNormal(engine, text)) return undefined
  const { bytes, starts } = scanPieces(engine, text)
  const piece = bytes.slice(starts.at(-1) ?? 0)
  if (piece.length < longBytes) return undefined
  const grow = growPiece(engine, piece)
  let last = ending.at(-1) ?? ''
  return {
    extend: (more) => {
      for (const character of more) if (kindOf(character) !== kind) return undefined
      if (!isNormal(engine, last + more)) return undefined
      last = Array.from(more).at(-1) ?? last
      return grow(encodeUtf8(more))
    },
  }
}

/**
 * Merges a piece and returns a function that adds bytes to it and returns how many tokens more it has.
 *
 * A chain of tokens of which all neighbors are valid pairs is the encoding, so the tokens before the
 * last one stay if they form a valid pair with what it and the new bytes make. If they do not, twice
 * as many are merged again.
 */
function growPiece(engine: Engine, start: Uint8Array): (more: Uint8Array) => number {
  const { state } = engine
  const { lengths } = state.tables
  let bytes = start
  let length = start.length
  const tokens = mergeBytes(engine, bytes, [0, length])
  return (more) => {
    const before = tokens.length
    let kept = before
    let at = length
    length += more.length
    bytes = withRoom(bytes, length)
    bytes.set(more, at)
    for (let again = 1; ; again *= 2) {
      for (; kept > 0 && kept > before - again; kept -= 1) at -= lengths[tokens[kept - 1] ?? 0] ?? 0
      const found = mergeBytes(engine, bytes, [at, length])
      state.bytes = bytes
      state.boundary = at
      if (kept === 0 || isValidPair(state, tokens[kept - 1] ?? 0, found[0] ?? 0)) {
        tokens.length = kept
        for (const token of found) tokens.push(token)
        release(engine)
        return tokens.length - before
      }
    }
  }
}

function mergeBytes(
  { state }: Engine,
  bytes: Uint8Array,
  [start, stop]: readonly [start: number, stop: number],
): number[] {
  const piece = { bytes, view: new DataView(bytes.buffer), start, stop }
  state.shouldStop = () => false
  const first = state.tables.tokenAt[longestMatch(state, piece, start)] ?? 0
  const height = mergePiece(state, piece, first)
  return Array.from(state.stack.subarray(0, height))
}

function withRoom(bytes: Uint8Array, length: number): Uint8Array {
  if (length <= bytes.length) return bytes
  const larger = new Uint8Array(length * 2)
  larger.set(bytes)
  return larger
}
