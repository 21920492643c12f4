import { type BpeState, keptBytes } from './bpe-state.ts'
import { isValidPair } from './is-valid-pair.ts'

/** A piece: bytes from `start` to `stop`, the same as words through `view`. */
export type Piece = {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly start: number
  readonly stop: number
}

/** How often a long piece asks whether to stop. */
const stepsBetweenQuestions = 1 << 12

/**
 * Byte-pair encoding of a piece in linear time; leaves the tokens in `state.stack` and answers
 * their number, or -1 if it was stopped.
 *
 * Takes the longest token at each place that makes a valid pair with the token before. Where none
 * does, the place is dead and the token before is shortened. A prefix of the piece has only one
 * chain of valid pairs, its own encoding, so a dead place never comes alive: at most one step back
 * per byte.
 */
export function mergePiece(state: BpeState, piece: Piece, first: number): number {
  const { prefix, lengths } = state.tables
  const length = piece.stop - piece.start
  const { stack, dead } = reserve(state, length)
  measureRuns(state, piece)
  let height = 0
  let at = 0
  let candidate = mergeable(state, first)
  let question = state.steps + stepsBetweenQuestions
  for (;;) {
    let next = at
    while (candidate >= 0) {
      state.steps += 1
      next = at + (lengths[candidate] ?? 0)
      if (
        dead[next] === 0 &&
        (height === 0 || isValidPair(state, stack[height - 1] ?? 0, candidate))
      )
        break
      candidate = prefix[candidate] ?? -1
    }
    if (candidate >= 0) {
      stack[height] = candidate
      height += 1
      at = next
      if (at === length) return height
      if (state.steps > question) {
        if (state.shouldStop()) return -1
        question = state.steps + stepsBetweenQuestions
      }
      candidate = mergeable(state, matchAhead(state, piece, piece.start + at))
    } else {
      dead[at] = 1
      height -= 1
      candidate = stack[height] ?? 0
      at -= lengths[candidate] ?? 0
    }
  }
}

/** Pieces up to this many bytes are walked byte by byte. */
const shortPiece = 64

/** Notes for each byte of a long piece how often it stands there in a row, up to 255. */
function measureRuns(state: BpeState, { bytes, start, stop }: Piece): void {
  const length = stop - start
  if (length <= shortPiece) return
  if (state.runs.length < length) state.runs = new Uint8Array(length)
  const { runs } = state
  let run = 0
  for (let at = length - 1; at >= 0; at -= 1) {
    run = bytes[start + at] === bytes[start + at + 1] && run > 0 ? Math.min(255, run + 1) : 1
    runs[at] = run
  }
}

/**
 * The longest token at `position`. Some vocabularies have tokens of a hundred dashes; in a longer run
 * of one byte the walk always ends where it ended before.
 */
function matchAhead(state: BpeState, piece: Piece, position: number): number {
  const { start, stop, bytes } = piece
  if (stop - start > shortPiece) {
    const byte = bytes[position] ?? 0
    if ((state.runs[position - start] ?? 0) > (state.runDepths[byte] ?? 255)) {
      return state.runTokens[byte] ?? 0
    }
  }
  return longestMatch(state, piece, position)
}

/** The longest token that begins at `position` and ends in the piece; every byte is a token. */
export function longestMatch(state: BpeState, { bytes, stop }: Piece, position: number): number {
  const { nodes, tokenAt } = state.tables
  let at = position
  let node = nodes[0] ?? 0
  let found = 0
  while (at < stop) {
    const byte = bytes[at] ?? 0
    const slot = (node >>> 10) + byte
    node = nodes[slot] ?? 0
    if ((node & 0x1ff) !== (0x100 | byte)) break
    if (node & 0x200) found = slot
    at += 1
  }
  state.steps += at - position
  return tokenAt[found] ?? 0
}

/** The token, or its longest prefix that merges make. */
function mergeable({ tables }: BpeState, token: number): number {
  const { left, prefix, firstPart } = tables
  if (firstPart === left.length || (left[token] ?? 0) < firstPart) return token
  return prefix[token] ?? -1
}

/** Room for a piece, with no place dead. Room for a long piece is not kept. */
function reserve(state: BpeState, length: number): Pick<BpeState, 'stack' | 'dead'> {
  if (length >= state.stack.length) {
    const room = length < keptBytes / 2 ? length * 2 : length
    state.stack = new Int32Array(room)
    if (room > keptBytes) return { stack: state.stack, dead: new Uint8Array(room + 1) }
    state.dead = new Uint8Array(room + 1)
    return state
  }
  if (length < state.dead.length) clear(state.dead, length)
  else return { stack: state.stack, dead: new Uint8Array(length + 1) }
  return state
}

/** A loop beats `fill` by far for a few bytes, which is what most pieces have. */
function clear(dead: Uint8Array, length: number): void {
  if (length > 64) dead.fill(0, 0, length + 1)
  else for (let at = 0; at <= length; at += 1) dead[at] = 0
}
