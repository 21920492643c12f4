import { fillDerived, tablesBytes, viewTables } from './bpe-tables.ts'
import { buildTrie } from './build-trie.ts'
import { type SplitSource, splitTokens } from './split-tokens.ts'
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
export function buildVocabulary(source: VocabularySource): Omit<Vocabulary, 'buffer'> {
  const splits = splitTokens(source)
  const nodes = buildTrie(source.tokens)
  const layout = {
    slots: nodes.length / 2,
    tokens: splits.left.length,
    firstPart: source.tokens.length,
  }
  const tables = viewTables(new ArrayBuffer(tablesBytes(layout)), layout)
  tables.trie.set(nodes)
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
