import type { AnswerPiece, Citation } from './answer-pieces.ts'

/** Places the citations of an answer after the text that they belong to. */
export type CitationPlacer = {
  /** Returns the same pieces. A citation outside a text is held back until the next text. */
  place(pieces: readonly AnswerPiece[]): readonly AnswerPiece[]
  /** At the end of the answer: the citations that are still held back, after an empty text. */
  rest(): readonly AnswerPiece[]
}

/**
 * Other interfaces keep citations in the part of the text that they cite, which is closed when a
 * call, a step or a picture begins; providers send them with any event. Places are counted from the
 * start of that part.
 */
export function createCitationPlacer(): CitationPlacer {
  let isInText = false
  let characters = 0
  let partStart = 0
  const waiting: Citation[] = []

  const cited = (citation: Citation): AnswerPiece => ({
    kind: 'citation',
    citation: countedFrom(partStart, citation),
  })
  const placed = (piece: AnswerPiece): readonly AnswerPiece[] => {
    if (piece.kind === 'citation') {
      if (isInText) return [cited(piece.citation)]
      waiting.push(piece.citation)
      return []
    }
    if (piece.kind !== 'text') {
      isInText = false
      return [piece]
    }
    if (!isInText) partStart = characters
    isInText = true
    characters += piece.text.length
    return [piece, ...waiting.splice(0).map(cited)]
  }
  return {
    place: (pieces) => pieces.flatMap(placed),
    rest: () => (waiting.length === 0 ? [] : placed({ kind: 'text', text: '', logprobs: [] })),
  }
}

function countedFrom(start: number, citation: Citation): Citation {
  return {
    ...citation,
    start_index: Math.max(0, citation.start_index - start),
    end_index: Math.max(0, citation.end_index - start),
  }
}
