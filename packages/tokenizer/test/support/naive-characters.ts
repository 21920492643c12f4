import { byteName, type CharacterVocabulary, mergeAll } from './character-vocabulary.ts'
import { wellFormed } from './well-formed.ts'

/**
 * A naive SentencePiece encoder: symbols first, the longest at each place; then, token by token, all
 * neighbours that form it; then bytes for what is not a token.
 */
export function naiveCharacters(vocabulary: CharacterVocabulary, text: string): readonly number[] {
  const { made, symbols, json } = vocabulary
  const { vocab } = json.model
  const longestFirst = symbols.toSorted((a, b) => b.length - a.length)
  const ids: number[] = []
  let waiting: string[] = []
  const merge = (): void => {
    const merged = made.reduce<readonly string[]>(mergeAll, waiting)
    for (const part of merged) ids.push(...idsOf(part, vocab))
    waiting = []
  }
  const normal = wellFormed(text).replaceAll(' ', '▁')
  for (let at = 0; at < normal.length; ) {
    const symbol = longestFirst.find((known) => normal.startsWith(known, at))
    if (symbol === undefined) {
      const character = String.fromCodePoint(normal.codePointAt(at) ?? 0)
      waiting.push(character)
      at += character.length
    } else {
      merge()
      ids.push(...idsOf(symbol, vocab))
      at += symbol.length
    }
  }
  merge()
  return ids
}

function idsOf(part: string, vocab: Readonly<Record<string, number>>): readonly number[] {
  const id = vocab[part]
  if (id !== undefined) return [id]
  return Array.from(new TextEncoder().encode(part), (byte) => vocab[byteName(byte)] ?? -1)
}
