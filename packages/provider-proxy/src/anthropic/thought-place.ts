import type { TextBlock } from './text-blocks.ts'

/** How much of an answer stood before a thought: characters of text, and calls. */
export type ThoughtPlace = { readonly characters: number; readonly calls: number }

/** The place as the `id` of the thought's detail; none for a thought before everything else. */
export function placeId({ characters, calls }: ThoughtPlace): string | undefined {
  return characters + calls === 0 ? undefined : `after_${characters}_${calls}`
}

/** The place of a thought by the `id` of its detail; any other id is of a thought that came first. */
export function placeOf(id: string | undefined): ThoughtPlace {
  const [, characters = 0, calls = 0] = /^after_(\d{1,9})_(\d{1,4})$/.exec(id ?? '') ?? []
  return { characters: Number(characters), calls: Number(calls) }
}

type PlacedThought = { readonly block: object; readonly place: ThoughtPlace }

/**
 * The blocks of an answer with its thoughts where they came, since Claude rejects thoughts in another
 * order than its own, and drops those whose beginning has changed.
 */
export function inOrder(
  thoughts: readonly PlacedThought[],
  texts: readonly TextBlock[],
  calls: readonly object[],
): readonly object[] {
  const blocks: object[] = []
  let placed = 0
  const placeUpTo = (until: ThoughtPlace): void => {
    for (
      let next = thoughts[placed];
      next && isBefore(next.place, until);
      next = thoughts[placed]
    ) {
      blocks.push(next.block)
      placed += 1
    }
  }
  let characters = 0
  for (const piece of pieces(texts, thoughts)) {
    placeUpTo({ characters, calls: 0 })
    // The API rejects a text of white space alone.
    if (/\S/.test(piece.text)) blocks.push(piece)
    characters += piece.text.length
  }
  for (const [index, call] of calls.entries()) {
    placeUpTo({ characters: Infinity, calls: index })
    blocks.push(call)
  }
  placeUpTo({ characters: Infinity, calls: Infinity })
  return blocks
}

function isBefore(place: ThoughtPlace, until: ThoughtPlace): boolean {
  return place.calls <= until.calls && place.characters <= until.characters
}

/** The texts, divided where a thought came between. A mark stays at the end of its text. */
function pieces(
  texts: readonly TextBlock[],
  thoughts: readonly PlacedThought[],
): readonly TextBlock[] {
  const cuts = thoughts.flatMap(({ place }) => (place.calls === 0 ? [place.characters] : []))
  const ascending = [...new Set(cuts)].toSorted((a, b) => a - b)
  let start = 0
  let next = 0
  return texts.flatMap((block) => {
    const end = start + block.text.length
    const bounds = [start]
    for (; (ascending[next] ?? end) < end; next += 1) {
      const cut = ascending[next]
      if (cut !== undefined && cut > start) bounds.push(cut)
    }
    bounds.push(end)
    const parts = bounds.slice(1).map((bound, index): TextBlock => {
      const text = block.text.slice((bounds[index] ?? start) - start, bound - start)
      return bound === end ? { ...block, text } : { type: 'text', text }
    })
    start = end
    return parts
  })
}
