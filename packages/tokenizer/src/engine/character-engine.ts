import { createBpeState, releaseMemory } from './bpe/bpe-state.ts'
import { countPiece } from './bpe/count-piece.ts'
import { encodePiece } from './bpe/encode-piece.ts'
import type { MutablePiece, Piece } from './bpe/piece.ts'
import { createCharacterJoins } from './characters/character-joins.ts'
import {
  type CharacterWindow,
  createCharacterWindow,
  fillCharacters,
  unitsBehind,
} from './characters/character-window.ts'
import { type CharacterScan, scanCharacters } from './characters/scan-characters.ts'
import { createSymbolStarts } from './characters/symbol-starts.ts'
import type { CountLimits } from './engine.ts'
import type { Vocabulary } from './table/table-file.ts'

/**
 * The engine of a vocabulary that merges characters over the whole text, like SentencePiece. A space
 * is U+2581; a character without a token counts as the tokens of its bytes. One count at a time.
 */
export type CharacterEngine = CharacterScan & {
  readonly vocabulary: Vocabulary
  window: CharacterWindow
}

/** UTF-16 units per window, unless a piece is longer. */
const windowUnits = 1 << 14

export function createCharacterEngine(vocabulary: Vocabulary): CharacterEngine {
  const { tables, header } = vocabulary
  return {
    vocabulary,
    state: createBpeState(tables),
    joins: createCharacterJoins(tables),
    starts: createSymbolStarts(vocabulary),
    firstSymbol: header.firstPart - (header.symbols ?? 0),
    window: createCharacterWindow(windowUnits),
  }
}

/** Counts the tokens of a text: more than `limits.tokens` if it exceeds them, -1 if stopped. */
export function countCharacterTokens(
  engine: CharacterEngine,
  text: string,
  limits: CountLimits = {},
): number {
  const { tokens: most = Number.POSITIVE_INFINITY, shouldStop = never } = limits
  const { state } = engine
  const done = { count: 0, stopped: false }
  state.shouldStop = () => {
    done.stopped ||= shouldStop()
    return done.stopped
  }
  eachPiece(engine, text, (piece) => {
    done.count += countPiece(state, piece)
    return !done.stopped && done.count <= most
  })
  release(engine)
  return done.stopped ? -1 : done.count
}

/** The ids of a text. */
export function encodeCharacters(engine: CharacterEngine, text: string): readonly number[] {
  const { state } = engine
  const ids: number[] = []
  state.shouldStop = never
  eachPiece(engine, text, (piece) => {
    encodePiece(state, piece, ids)
    return true
  })
  release(engine)
  return ids
}

const never = (): boolean => false

/**
 * Calls `visit` with each piece of a text until it returns `false`. A piece that reaches the end of
 * a window is read again at the start of the next one, which is four times as long if the piece
 * fills the window.
 */
function eachPiece(engine: CharacterEngine, text: string, visit: (piece: Piece) => boolean): void {
  let units = windowUnits
  for (let start = 0; start < text.length; ) {
    const window = reserve(engine, Math.min(units, Math.max(windowUnits, text.length - start)))
    const stop = fillCharacters(window, text, { start, units })
    const rest = visitPieces(engine, visit)
    if (rest < 0) return
    units = rest === 0 ? units * 4 : windowUnits
    start = stop - unitsBehind(window, rest)
  }
}

/** Returns the start of the piece that the window cuts, the last window's end, or -1 if stopped. */
function visitPieces(engine: CharacterEngine, visit: (piece: Piece) => boolean): number {
  const { window, state } = engine
  const piece: MutablePiece = { bytes: window.bytes, view: window.view, start: 0, stop: 0 }
  while (piece.start < window.length) {
    piece.stop = scanCharacters(engine, window, piece.start)
    if (piece.stop === window.length && !window.isLast) break
    if (!visit(piece)) return -1
    piece.start = piece.stop
  }
  return !window.isLast && state.shouldStop() ? -1 : piece.start
}

function reserve(engine: CharacterEngine, units: number): CharacterWindow {
  const isLarge = engine.window.bytes.length > 4 * windowUnits
  if (units > windowUnits || isLarge) engine.window = createCharacterWindow(units)
  return engine.window
}

/** Releases the memory of a long piece. */
function release(engine: CharacterEngine): void {
  const { state } = engine
  reserve(engine, windowUnits)
  releaseMemory(state)
}
