import type { BpeTables } from './bpe-tables.ts'

/** Memory of one tokenizer for merging; everything in it is bounded or let go after use. */
export type BpeState = {
  readonly tables: BpeTables
  /** The piece's tokens, as many as `mergePiece` answers. */
  stack: Int32Array
  /** 1 where a prefix of the piece cannot end a token of the answer. */
  dead: Uint8Array
  /** Verdicts on pairs, direct-mapped: the first token, then the second twice plus the verdict. */
  readonly pairMemo: Int32Array
  /** Counts of short pieces, direct-mapped, four words each; a length of 0 is a free place. */
  readonly pieceMemo: Int32Array
  /** Trie steps, candidates and pair checks so far; shows that time is linear. */
  steps: number
  /** Asked now and then in a long piece; `true` stops the count. */
  shouldStop: () => boolean
}

export const pairMemoBits = 15
export const pieceMemoBits = 15

/** Pieces up to this many bytes use memory that is kept. */
export const keptBytes: number = 1 << 16

export function createBpeState(tables: BpeTables): BpeState {
  return {
    tables,
    stack: new Int32Array(256),
    dead: new Uint8Array(257),
    pairMemo: new Int32Array(2 << pairMemoBits).fill(-1),
    pieceMemo: new Int32Array(4 << pieceMemoBits),
    steps: 0,
    shouldStop: () => false,
  }
}
