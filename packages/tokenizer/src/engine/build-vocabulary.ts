import { fillDerived, tablesBytes, viewTables } from './bpe-tables.ts'
import { buildTrie } from './build-trie.ts'
import { orderByMerge } from './order-by-merge.ts'
import { type Parts, partsOfTokens, type SplitSource, splitTokens } from './split-tokens.ts'
import type { TableHeader, Vocabulary } from './table-file.ts'

/** A vocabulary to build: tokens as bytes, by merge priority; `null` where a number is unused. */
export type VocabularySource = SplitSource &
  Omit<TableHeader, 'slots' | 'tokens' | 'firstPart' | 'renumbered'> & {
    /** Ids by merge priority, where they differ. */
    readonly ids?: readonly number[]
  }

/**
 * Builds the tables of a vocabulary; takes seconds.
 *
 * @throws VocabularyError if a byte has no token.
 */
export function buildVocabulary(given: VocabularySource): Omit<Vocabulary, 'buffer'> {
  const { source, partsOf } = ordered(given)
  const splits = splitTokens(source, partsOf)
  const trie = buildTrie(source.tokens)
  const layout = {
    slots: trie.nodes.length,
    tokens: splits.left.length,
    firstPart: source.tokens.length,
  }
  const tables = viewTables(new ArrayBuffer(tablesBytes(layout)), layout)
  tables.nodes.set(trie.nodes)
  tables.tokenAt.set(trie.tokenAt)
  tables.left.set(splits.left)
  tables.right.set(splits.right)
  tables.prefix.set(splits.prefix)
  fillDerived(tables)
  const { encoding, scanner, normalization, special } = source
  const ids = source.ids?.every((id, token) => id === token) ? undefined : source.ids
  const renumbered = ids !== undefined
  const header = { encoding, scanner, normalization, special, renumbered, ...layout }
  return { header, tables, ids: ids === undefined ? null : Int32Array.from(ids) }
}

type Ordered = { readonly source: VocabularySource; readonly partsOf: readonly Parts[] }

/** Renumbers tokens so that each comes behind its parts; ids and priorities stay. */
function ordered(source: VocabularySource): Ordered {
  const partsOf = partsOfTokens(source)
  const order = orderByMerge(source, partsOf)
  if (order === null) return { source, partsOf }
  const placeOf = new Map(order.map((token, place) => [token, place]))
  const renumbered = {
    ...source,
    tokens: order.map((token) => source.tokens[token] ?? null),
    ids: order.map((token) => source.ids?.[token] ?? token),
  }
  const moved = order.map((token) => partsOf[token] ?? [])
  return {
    source: renumbered,
    partsOf: moved.map((parts) => parts.map((part) => placeOf.get(part) ?? part)),
  }
}
