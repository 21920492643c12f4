import { type BpeTables, makesEveryToken } from './bpe-tables.ts'
import { childSlot, endsToken } from './trie.ts'

/** Memory of one tokenizer for merging; all of it is bounded or released after use. */
export type BpeState = {
  readonly tables: BpeTables
  /** Whether merges make every token. */
  readonly makesEveryToken: boolean
  /** The bytes of the pair of tokens being checked; the second begins at `boundary`. */
  bytes: Uint8Array
  boundary: number
  /** The piece's tokens, as many as `mergePiece` returns. */
  stack: Int32Array
  /**
   * The parts of a short piece in one array, which takes fewer checks than several. At the place of
   * a part: the key of the pair of this part and the next, which is the token that the two make ×
   * 64 + the place, so that the lowest key merges first. At the place + 64: the trie's node behind
   * the bytes of both, 0 if no token begins with them. At + 128: where its bytes begin.
   */
  readonly short: Int32Array
  /** Short pieces that were merged before `tables.early` was made. */
  shortPieces: number
  /** 1 at each place where no token of the result can end. */
  dead: Uint8Array
  /** Whether `dead` is in use for this piece. */
  anyDead: boolean
  /** For a long piece: the length of the run of equal bytes at each place. */
  runs: Uint8Array
  /** Whether `runs` was measured for this piece. */
  runsKnown: boolean
  /** The depth of the trie along each repeated byte, and the longest token of that byte only. */
  readonly runDepths: Uint8Array
  readonly runTokens: Int32Array
  /** Cached validity of pairs, direct-mapped: the first token, then the second × 2 + validity. */
  pairMemo: Int32Array
  /** Counts of short pieces, direct-mapped, four words each; a length of 0 marks a free slot. */
  readonly pieceMemo: Int32Array
  /** Where the last `longestMatch` ended. */
  matchEnd: number
  /** Trie steps, candidates and pair checks so far; tests use it to show that time is linear. */
  steps: number
  /** Called regularly in a long piece; `true` stops the count. */
  shouldStop: () => boolean
}

/** Pieces up to this many bytes are merged without calling `shouldStop`. */
export const maxGreedyBytes: number = 1 << 10

const pairMemoBits = 13
const longMemoBits = 16
export const pieceMemoBits = 15

/** Pieces up to this many bytes use memory that is not released. */
export const keptBytes: number = 1 << 16

/** A long piece of few different bytes repeats its pairs, so they are cached while it is merged. */
export function enlargePairMemo(state: BpeState): void {
  if (state.pairMemo.length === 2 << pairMemoBits) state.pairMemo = createPairMemo(longMemoBits)
}

/** Releases the memory of a long piece. */
export function releaseMemory(state: BpeState): void {
  if (state.bytes.length > keptBytes) state.bytes = new Uint8Array(0)
  if (state.stack.length > keptBytes) state.stack = new Int32Array(maxGreedyBytes + 1)
  if (state.dead.length > keptBytes) state.dead = new Uint8Array(257)
  if (state.runs.length > keptBytes) state.runs = new Uint8Array(256)
  if (state.pairMemo.length > 2 << pairMemoBits) state.pairMemo = createPairMemo(pairMemoBits)
}

function createPairMemo(bits: number): Int32Array {
  return new Int32Array(2 << bits).fill(-1)
}

export function createBpeState(tables: BpeTables): BpeState {
  return {
    tables,
    makesEveryToken: makesEveryToken(tables),
    bytes: new Uint8Array(0),
    boundary: 0,
    stack: new Int32Array(maxGreedyBytes + 1),
    short: new Int32Array(192),
    shortPieces: 0,
    dead: new Uint8Array(257),
    anyDead: false,
    runsKnown: false,
    runs: new Uint8Array(256),
    ...measureTrie(tables),
    pairMemo: createPairMemo(pairMemoBits),
    pieceMemo: new Int32Array(4 << pieceMemoBits),
    matchEnd: 0,
    steps: 0,
    shouldStop: () => false,
  }
}

function measureTrie({ nodes, tokenAt }: BpeTables): Pick<BpeState, 'runDepths' | 'runTokens'> {
  const runDepths = new Uint8Array(256)
  const runTokens = new Int32Array(256)
  for (let byte = 0; byte < 256; byte += 1) {
    let depth = 0
    for (let slot = childSlot(nodes, 0, byte); slot > 0; slot = childSlot(nodes, slot, byte)) {
      if (endsToken(nodes[slot] ?? 0)) runTokens[byte] = tokenAt[slot] ?? 0
      depth += 1
    }
    runDepths[byte] = depth
  }
  return { runDepths, runTokens }
}
