import { type BpeState, enlargePairMemo, keptBytes, maxGreedyBytes } from './bpe-state.ts'
import { isValidBehindLongest, isValidPair } from './is-valid-pair.ts'
import type { Piece } from './piece.ts'
import { isChild, slotOnByte } from './trie.ts'

/** Steps between two calls of `shouldStop` in a long piece. */
const stepsBetweenChecks = 1 << 12

/**
 * Byte-pair encoding of a piece in linear time. Leaves the tokens in `state.stack` and returns their
 * number, or -1 if it was stopped. `first` is the longest token at its start.
 *
 * Takes the longest token at each place that forms a valid pair with the token before. If there is
 * no such token, the place is dead and the token before is shortened. A prefix of the piece has only
 * one chain of valid pairs, its own encoding, so a dead place stays dead: at most one step back per
 * byte.
 */
export function mergePiece(state: BpeState, piece: Piece, first: number): number {
  const candidate = mergeable(state, first)
  if (piece.stop - piece.start <= maxGreedyBytes) return takeLongest(state, piece, candidate)
  enlargePairMemo(state)
  return search(state, piece, { height: 0, at: piece.start, candidate })
}

/** Takes the longest token at each place, which is correct for most pieces; searches otherwise. */
function takeLongest(state: BpeState, piece: Piece, first: number): number {
  const { lengths, tokenAt } = state.tables
  const { stack } = state
  const { stop } = piece
  let height = 0
  let at = piece.start
  let candidate = first
  let next = at + (lengths[candidate] ?? 0)
  for (;;) {
    if (height > 0) {
      state.bytes = piece.bytes
      state.boundary = at
      if (!isValidBehindLongest(state, stack[height - 1] ?? 0, candidate)) {
        return search(state, piece, { height, at, candidate })
      }
    }
    stack[height] = candidate
    height += 1
    at = next
    if (at === stop) return height
    const longest = tokenAt[longestMatch(state, piece, at)] ?? 0
    candidate = mergeable(state, longest)
    next = candidate === longest ? state.matchEnd : at + (lengths[candidate] ?? 0)
  }
}

/** The state of a merge: tokens on the stack, the place after them, and the next token to try. */
type Progress = { readonly height: number; readonly at: number; readonly candidate: number }

/** Continues a merge, with backtracking. */
function search(state: BpeState, piece: Piece, from: Progress): number {
  const { prefix, lengths } = state.tables
  const { start, stop } = piece
  const stack = prepare(state, piece)
  let { height, at, candidate } = from
  let question = state.steps + stepsBetweenChecks
  for (;;) {
    let next = at
    state.boundary = at
    while (candidate >= 0) {
      state.steps += 1
      next = at + (lengths[candidate] ?? 0)
      const isAlive = !state.anyDead || state.dead[next - start] === 0
      if (isAlive && (height === 0 || isValidPair(state, stack[height - 1] ?? 0, candidate))) break
      candidate = prefix[candidate] ?? -1
    }
    if (candidate >= 0) {
      stack[height] = candidate
      height += 1
      at = next
      if (at === stop) return height
      if (state.steps > question) {
        if (state.shouldStop()) return -1
        question = state.steps + stepsBetweenChecks
      }
      candidate = mergeable(state, matchAhead(state, piece, at))
    } else {
      markDead(state, at - start, stop - start)
      height -= 1
      candidate = stack[height] ?? 0
      at -= lengths[candidate] ?? 0
    }
  }
}

/** Pieces up to this many bytes are walked byte by byte. */
const shortPiece = 64

/** Records for each place of a long piece the length of its run of equal bytes, up to 255. */
function measureRuns(state: BpeState, { bytes, start, stop }: Piece): void {
  const length = stop - start
  if (state.runs.length < length) state.runs = new Uint8Array(length)
  const { runs } = state
  let run = 0
  for (let at = length - 1; at >= 0; at -= 1) {
    run = bytes[start + at] === bytes[start + at + 1] && run > 0 ? Math.min(255, run + 1) : 1
    runs[at] = run
  }
  state.runsKnown = true
}

/**
 * The longest token at `position`. Some vocabularies have tokens of a hundred dashes; in a longer
 * run of one byte the walk always ends at the same depth.
 */
function matchAhead(state: BpeState, piece: Piece, position: number): number {
  const { start, stop, bytes } = piece
  const byte = bytes[position] ?? 0
  if (byte === bytes[position + 1] && byte === bytes[position + 2] && stop - start > shortPiece) {
    if (!state.runsKnown) measureRuns(state, piece)
    if ((state.runs[position - start] ?? 0) > (state.runDepths[byte] ?? 255)) {
      return state.runTokens[byte] ?? 0
    }
  }
  return state.tables.tokenAt[longestMatch(state, piece, position)] ?? 0
}

/**
 * The slot of the longest token that begins at `position` and ends in the piece; every byte is a
 * token. Leaves its end in `state.matchEnd`.
 */
export function longestMatch(state: BpeState, { bytes, stop }: Piece, position: number): number {
  const { nodes } = state.tables
  let at = position
  let end = position
  let found = 0
  let node = nodes[0] ?? 0
  while (at < stop) {
    const byte = bytes[at] ?? 0
    const slot = slotOnByte(node, byte)
    node = nodes[slot] ?? 0
    if (!isChild(node, byte)) break
    at += 1
    // Whether a token ends here is unpredictable, so code without a branch is faster.
    const ifToken = -((node >>> 9) & 1)
    found ^= (found ^ slot) & ifToken
    end ^= (end ^ at) & ifToken
  }
  state.steps += at - position
  state.matchEnd = end
  return found
}

/** The token, or its longest prefix that merges can produce. */
function mergeable({ tables, makesEveryToken }: BpeState, token: number): number {
  const { left, prefix, firstPart } = tables
  if (makesEveryToken || (left[token] ?? 0) < firstPart) return token
  return prefix[token] ?? -1
}

/** Makes room for the tokens of a piece, with no dead places. */
function prepare(state: BpeState, { bytes, start, stop }: Piece): Int32Array {
  const length = stop - start
  if (length >= state.stack.length) {
    state.stack = new Int32Array(length < keptBytes / 2 ? length * 2 : length)
  }
  state.bytes = bytes
  state.anyDead = false
  state.runsKnown = false
  return state.stack
}

/** Marks a place of a piece of `length` bytes as dead. */
function markDead(state: BpeState, place: number, length: number): void {
  if (!state.anyDead) {
    if (state.dead.length <= length) {
      state.dead = new Uint8Array(length < keptBytes / 2 ? length * 2 : length + 1)
    } else clear(state.dead, length)
    state.anyDead = true
  }
  state.dead[place] = 1
}

/** Most pieces have only a few bytes, for which a loop is much faster than `fill`. */
function clear(dead: Uint8Array, length: number): void {
  if (length > 64) dead.fill(0, 0, length + 1)
  else for (let at = 0; at <= length; at += 1) dead[at] = 0
}
