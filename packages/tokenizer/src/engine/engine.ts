import { type BpeState, createBpeState, keptBytes, releaseMemory } from './bpe/bpe-state.ts'
import { countCharacter } from './bpe/count-few-bytes.ts'
import { countPiece } from './bpe/count-piece.ts'
import { encodePiece } from './bpe/encode-piece.ts'
import { partEnd } from './bpe/part-end.ts'
import type { MutablePiece, Piece } from './bpe/piece.ts'
import { scanCl100k, scanQwen } from './scan/scan-cl100k.ts'
import { scanDeepseek } from './scan/scan-deepseek.ts'
import { scanO200k, scanTekken } from './scan/scan-o200k.ts'
import { scanR50k } from './scan/scan-r50k.ts'
import type { Scanner } from './scan/scanner.ts'
import { createWindow, fillWindow, nextCut, type TextWindow } from './scan/text-window.ts'
import type { ScannerName, Vocabulary } from './table/table-file.ts'
import { normalizeNfc } from './unicode/normalize-nfc.ts'

/** The engine of one vocabulary. One count at a time: its memory is reused. */
export type Engine = {
  readonly vocabulary: Vocabulary
  readonly state: BpeState
  readonly window: TextWindow
  readonly scan: Scanner
}

const scanners: Readonly<Record<Exclude<ScannerName, 'characters'>, Scanner>> = {
  o200k: scanO200k,
  cl100k: scanCl100k,
  r50k: scanR50k,
  qwen: scanQwen,
  tekken: scanTekken,
  deepseek: scanDeepseek,
}

/** @throws RangeError if the vocabulary merges characters, which needs the other engine. */
export function createEngine(vocabulary: Vocabulary): Engine {
  const { scanner } = vocabulary.header
  if (scanner === 'characters')
    throw new RangeError('This engine does not support a vocabulary that merges characters')
  return {
    vocabulary,
    state: createBpeState(vocabulary.tables),
    window: createWindow(),
    scan: scanners[scanner],
  }
}

/** Limits of a count. */
export type CountLimits = {
  /** Stops soon after this many tokens. */
  readonly tokens?: number
  /** Called every few thousand steps; `true` stops the count. */
  readonly shouldStop?: () => boolean
}

/** Counts the tokens of a text: more than `limits.tokens` if it exceeds them, -1 if stopped. */
export function countTokens(engine: Engine, text: string, limits: CountLimits = {}): number {
  const { tokens: most = Number.POSITIVE_INFINITY, shouldStop = never } = limits
  const { state, window } = engine
  const normal = normalize(engine, text)
  let count = 0
  state.shouldStop = shouldStop
  for (let start = 0; start < normal.length && count <= most; ) {
    const stop = nextCut(normal, start)
    fillWindow(window, normal, [start, stop])
    const found = countWindow(engine)
    if (found < 0 || (stop < normal.length && shouldStop())) {
      count = -1
      break
    }
    count += found
    start = stop
  }
  release(engine)
  return count
}

/** The ids of a text. */
export function encodeText(engine: Engine, text: string): readonly number[] {
  const { window } = engine
  const normal = normalize(engine, text)
  const ids: number[] = []
  engine.state.shouldStop = never
  for (let start = 0; start < normal.length; ) {
    const stop = nextCut(normal, start)
    fillWindow(window, normal, [start, stop])
    encodeWindow(engine, ids)
    start = stop
  }
  release(engine)
  return ids
}

const never = (): boolean => false

/** The form of a text that is counted. */
export function normalize({ vocabulary }: Engine, text: string): string {
  return vocabulary.header.normalization === 'NFC' ? normalizeNfc(text) : text
}

function countWindow({ window, state, scan }: Engine): number {
  const piece: MutablePiece = { bytes: window.bytes, view: window.view, start: 0, stop: 0 }
  let count = 0
  while (piece.start < window.length) {
    piece.stop = scan(window, piece.start)
    const found = countScanned(state, piece)
    if (found < 0) return -1
    count += found
    piece.start = piece.stop
  }
  return count
}

/** Counts the tokens of a piece that a scanner found; -1 if the count was stopped. */
export function countScanned(state: BpeState, piece: MutablePiece): number {
  return isWide(state, piece) ? countParts(state, piece) : countPiece(state, piece)
}

/**
 * Whether looking for the parts of a piece is worth it. Few merges cross the places before characters
 * of three or four bytes, and a piece with such characters mostly ends with one.
 */
function isWide({ makesEveryToken }: BpeState, { bytes, stop }: Piece): boolean {
  if ((bytes[stop - 1] ?? 0) < 0x80) return false
  const endsWide = (bytes[stop - 3] ?? 0) >= 0xe0 || (bytes[stop - 4] ?? 0) >= 0xf0
  return endsWide && makesEveryToken
}

function countParts(state: BpeState, whole: MutablePiece): number {
  const { tables } = state
  const { bytes, stop } = whole
  let count = 0
  while (whole.start < stop) {
    const { start } = whole
    whole.stop = stop
    whole.stop = partEnd(tables, whole, start)
    const length = whole.stop - start
    state.steps += length
    // Most parts are one such character.
    const isCharacter = length === 3 && (bytes[start] ?? 0) >= 0xe0
    const found = isCharacter ? countCharacter(tables, bytes, start) : countPiece(state, whole)
    if (found < 0) return -1
    count += found
    whole.start = whole.stop
  }
  return count
}

function encodeWindow({ window, state, scan }: Engine, ids: number[]): void {
  const piece: MutablePiece = { bytes: window.bytes, view: window.view, start: 0, stop: 0 }
  while (piece.start < window.length) {
    const stop = scan(window, piece.start)
    while (piece.start < stop) {
      piece.stop = stop
      if (isWide(state, piece)) piece.stop = partEnd(state.tables, piece, piece.start)
      encodePiece(state, piece, ids)
      piece.start = piece.stop
    }
  }
}

/** Releases the memory of a long piece or window. */
function release({ state, window }: Engine): void {
  releaseMemory(state)
  if (window.bytes.length > keptBytes) Object.assign(window, createWindow())
}
