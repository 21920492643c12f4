import type { AnswerPiece } from './answer-pieces.ts'

/** Keeps the pieces of a call together. */
export type CallPlacer = {
  /** Returns the pieces that can be written now. */
  place(pieces: readonly AnswerPiece[]): readonly AnswerPiece[]
  /** At the end of the answer: the pieces that are still held back. */
  rest(): readonly AnswerPiece[]
}

/**
 * Other interfaces close a call when something else begins. Some providers add to a call after that,
 * at the latest the `{}` of a call without arguments. So whatever follows a call whose arguments are
 * not whole JSON yet is held back, and what is added to whole arguments is dropped.
 */
export function createCallPlacer(): CallPlacer {
  let open: { readonly index: number; args: string } | undefined
  let waiting: AnswerPiece[] = []
  const closed = new Set<number>()

  const placed = (piece: AnswerPiece): readonly AnswerPiece[] => {
    if (piece.kind === 'call' && closed.has(piece.index)) return []
    if (open !== undefined && piece.kind === 'call' && piece.index === open.index) {
      open.args += piece.args
      return [piece]
    }
    if (open !== undefined && (waiting.length > 0 || !isJson(open.args))) {
      waiting.push(piece)
      return []
    }
    if (open !== undefined) closed.add(open.index)
    open = piece.kind === 'call' ? { index: piece.index, args: piece.args } : undefined
    return [piece]
  }
  return {
    place: (pieces) => pieces.flatMap(placed),
    rest: () => {
      const pieces = byCall(waiting)
      waiting = []
      return pieces
    },
  }
}

/** Each call where its first piece was. */
function byCall(pieces: readonly AnswerPiece[]): readonly AnswerPiece[] {
  const groups = new Map<unknown, AnswerPiece[]>()
  for (const piece of pieces) {
    const key = piece.kind === 'call' ? piece.index : piece
    const group = groups.get(key) ?? []
    group.push(piece)
    groups.set(key, group)
  }
  return [...groups.values()].flat()
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
