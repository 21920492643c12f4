import type { ReasoningDetail } from './reasoning-detail.ts'

/** Joins the pieces of reasoning steps, in the order in which the steps began. */
export type JoinedDetails = {
  add(piece: ReasoningDetail): void
  readonly details: readonly ReasoningDetail[]
}

export function createJoinedDetails(): JoinedDetails {
  const details: ReasoningDetail[] = []
  /** The positions of the last steps by index and type. */
  const last = new Map<string, number>()
  return {
    details,
    add(piece) {
      const key = `${piece.index ?? 0} ${piece.type}`
      const position = last.get(key)
      const before = position === undefined ? undefined : details[position]
      if (position !== undefined && before !== undefined && continues(before, piece)) {
        details[position] = joined(before, piece)
      } else last.set(key, details.push(piece) - 1)
    },
  }
}

/** Encrypted data comes complete, and a signature ends the text that it signs. */
function continues(before: ReasoningDetail, piece: ReasoningDetail): boolean {
  if (before['data'] !== undefined || piece['data'] !== undefined) return false
  if (before['signature'] !== undefined && piece.text !== undefined) return false
  return before['id'] === undefined || piece['id'] === undefined || before['id'] === piece['id']
}

function joined(before: ReasoningDetail, piece: ReasoningDetail): ReasoningDetail {
  const text = joinedText(before.text, piece.text)
  const summary = joinedText(before.summary, piece.summary)
  return {
    ...before,
    ...piece,
    ...(text !== undefined && { text }),
    ...(summary !== undefined && { summary }),
  }
}

function joinedText(before: string | undefined, piece: string | undefined): string | undefined {
  return before === undefined && piece === undefined ? undefined : (before ?? '') + (piece ?? '')
}
