import { type BpeTables, type TablesLayout, tablesBytes, viewTables } from '../bpe/bpe-tables.ts'
import { fillCrossings } from '../bpe/may-cross.ts'
import { decodeUtf8 } from '../unicode/utf8.ts'
import { buildTrie } from './build-trie.ts'
import { fillThreeByteCounts } from './fill-three-byte-counts.ts'
import { orderByMerge } from './order-by-merge.ts'
import { type Parts, partsOfTokens, type SplitSource, splitTokens } from './split-tokens.ts'
import type { TableHeader, Vocabulary } from './table-file.ts'

/** A vocabulary to build: tokens as bytes, by merge priority; `null` for an unused number. */
export type VocabularySource = SplitSource &
  Omit<TableHeader, keyof TablesLayout> & {
    /** Ids by merge priority, if they differ. */
    readonly ids?: readonly number[]
  }

/**
 * Builds the tables of a vocabulary. Takes seconds.
 *
 * @throws VocabularyError if a byte has no token.
 */
export function buildVocabulary(given: VocabularySource): Omit<Vocabulary, 'memory'> {
  const { source, partsOf } = ordered(made(given))
  const splits = splitTokens(source, partsOf)
  const trie = buildTrie(source.tokens)
  const ids = source.ids?.every((id, token) => id === token) ? undefined : source.ids
  const layout = {
    slots: trie.nodes.length,
    tokens: splits.left.length,
    firstPart: source.tokens.length,
    renumbered: ids !== undefined,
  }
  const tables = viewTables(new Uint8Array(tablesBytes(layout)), layout)
  tables.nodes.set(trie.nodes)
  tables.tokenAt.set(trie.tokenAt)
  tables.left.set(splits.left)
  tables.right.set(splits.right)
  tables.prefix.set(splits.prefix)
  tables.ids?.set(ids ?? [])
  const { encoding, scanner, normalization, special, symbols } = source
  fillCrossings(tables, source.tokens)
  fillLengths(tables, source.tokens)
  fillThreeByteCounts(tables)
  const header = {
    ...{ encoding, scanner, normalization, special },
    ...(symbols === undefined ? {} : { symbols }),
    ...layout,
  }
  return { header, tables }
}

/** The bytes of each token. A part that is not a token gets its bytes from its own, earlier parts. */
function fillLengths({ left, right, lengths, firstPart }: BpeTables, tokens: Tokens): void {
  for (let token = 0; token < left.length; token += 1) {
    const parts = (lengths[left[token] ?? 0] ?? 0) + (lengths[right[token] ?? 0] ?? 0)
    lengths[token] = token < firstPart ? (tokens[token]?.length ?? 1) : parts
  }
}

type Tokens = VocabularySource['tokens']

type Split = { readonly source: VocabularySource; readonly partsOf: readonly Parts[] }

/**
 * Splits tokens. If characters merge, it omits tokens that merges cannot produce, because a piece
 * with the same text is not encoded as that token. `decode` still supports them.
 */
function made(source: VocabularySource): Split {
  const partsOf = partsOfTokens(source)
  if (source.atoms !== 'characters') return { source, partsOf }
  const firstSymbol = source.tokens.length - (source.symbols ?? 0)
  const special: Record<string, string> = { ...source.special }
  const tokens = source.tokens.map((bytes, token) => {
    if (bytes === null || token >= firstSymbol || (partsOf[token]?.length ?? 0) <= 2) return bytes
    special[source.ids?.[token] ?? token] = decodeUtf8(bytes)
    return null
  })
  const kept = partsOf.map((parts, token) => (tokens[token] === null ? [] : parts))
  return { source: { ...source, tokens, special }, partsOf: kept }
}

/** Renumbers tokens so that each comes after its parts; ids and priorities do not change. */
function ordered({ source, partsOf }: Split): Split {
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
