import type { BpeTables } from './bpe-tables.ts'

/** Memory of one tokenizer for merging; everything in it is bounded or let go after use. */
export type BpeState = {
  readonly tables: BpeTables
  /** The piece's tokens, as many as `mergePiece` answers. */
  stack: Int32Array
  /** 1 where a prefix of the piece cannot end a token of the answer. */
  dead: Uint8Array
  /** For a long piece: how often each byte stands there in a row. */
  runs: Uint8Array
  /** How deep the trie is on each byte repeated, and the longest token of that byte alone. */
  readonly runDepths: Uint8Array
  readonly runTokens: Int32Array
  /** Verdicts on pairs, direct-mapped: the first token, then the second twice plus the verdict. */
  readonly pairMemo: Int32Array
  /** Counts of short pieces, direct-mapped, four words each; a length of 0 is a free place. */
  readonly pieceMemo: Int32Array
  /** Trie steps, candidates and pair checks so far; shows that time is linear. */
  steps: number
  /** Asked now and then in a long piece; `true` stops the count. */
  shouldStop: () => boolean
}

export const pairMemoBits = 13
export const pieceMemoBits = 14

/** Pieces up to this many bytes use memory that is kept. */
export const keptBytes: number = 1 << 16

export function createBpeState(tables: BpeTables): BpeState {
  return {
    tables,
    stack: new Int32Array(256),
    dead: new Uint8Array(257),
    runs: new Uint8Array(256),
    ...measureTrie(tables),
    pairMemo: new Int32Array(2 << pairMemoBits).fill(-1),
    pieceMemo: new Int32Array(4 << pieceMemoBits),
    steps: 0,
    shouldStop: () => false,
  }
}

function measureTrie({ nodes, tokenAt }: BpeTables): Pick<BpeState, 'runDepths' | 'runTokens'> {
  const runDepths = new Uint8Array(256)
  const runTokens = new Int32Array(256)
  for (let byte = 0; byte < 256; byte += 1) {
    let slot = ((nodes[0] ?? 0) >>> 10) + byte
    let depth = 0
    while (((nodes[slot] ?? 0) & 0x1ff) === (0x100 | byte)) {
      if ((nodes[slot] ?? 0) & 0x200) runTokens[byte] = tokenAt[slot] ?? 0
      depth += 1
      slot = ((nodes[slot] ?? 0) >>> 10) + byte
    }
    runDepths[byte] = depth
  }
  return { runDepths, runTokens }
}
