import { type BpeTables, fillDerived, tablesBytes, viewTables } from './bpe-tables.ts'
import { buildTrie } from './build-trie.ts'
import type { TableHeader, Vocabulary } from './table-file.ts'

/** A vocabulary to build: tokens as bytes, by merge priority; `null` where a number is unused. */
export type VocabularySource = Omit<TableHeader, 'slots' | 'tokens' | 'renumbered'> & {
  readonly tokens: readonly (Uint8Array | null)[]
  /** Ids by merge priority, where they differ. */
  readonly ids?: readonly number[]
  /** Priority of joining two texts (bytes as Latin-1), where a list of merges rules it. */
  readonly priorityOf?: (left: string, right: string) => number | undefined
}

/**
 * Builds the tables of a vocabulary; takes seconds.
 *
 * @throws VocabularyError if a byte has no token, or a token cannot be made by merging.
 */
export function buildVocabulary(source: VocabularySource): Omit<Vocabulary, 'buffer'> {
  const texts = source.tokens.map((token) => (token === null ? null : latin1(token)))
  const numberOf = new Map<string, number>()
  for (const [token, text] of texts.entries()) if (text !== null) numberOf.set(text, token)
  for (let byte = 0; byte < 256; byte += 1) {
    if (!numberOf.has(String.fromCharCode(byte))) throw new VocabularyError(`lacks byte ${byte}`)
  }
  const nodes = buildTrie(source.tokens)
  const layout = { slots: nodes.length / 2, tokens: source.tokens.length }
  const tables = viewTables(new ArrayBuffer(tablesBytes(layout)), layout)
  tables.trie.set(nodes)
  fillSplits(tables, texts, {
    numberOf,
    priorityOf: source.priorityOf ?? ((left, right) => numberOf.get(left + right)),
  })
  fillPrefixes(tables, texts, numberOf)
  fillDerived(tables)
  const { encoding, scanner, normalization, special, ids } = source
  const renumbered = ids !== undefined
  const header = { encoding, scanner, normalization, special, renumbered, ...layout }
  return { header, tables, ids: ids === undefined ? null : Int32Array.from(ids) }
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

type Merging = {
  readonly numberOf: ReadonlyMap<string, number>
  readonly priorityOf: (left: string, right: string) => number | undefined
}

function fillSplits(tables: BpeTables, texts: readonly (string | null)[], merging: Merging): void {
  for (const [token, text] of texts.entries()) {
    if (text !== null && text.length > 255)
      throw new VocabularyError(`has a token of ${text.length} bytes`)
    const [left, right, ...rest] = text === null ? [] : lastParts(text, merging.priorityOf)
    if (rest.length > 0) throw new VocabularyError(`cannot make token ${token} by merging`)
    tables.left[token] = right === undefined ? token : numberOfPart(left, merging)
    tables.right[token] = right === undefined ? token : numberOfPart(right, merging)
  }
}

function numberOfPart(part: string | undefined, { numberOf }: Merging): number {
  const token = part === undefined ? undefined : numberOf.get(part)
  if (token === undefined) throw new VocabularyError('merges parts that are no tokens')
  return token
}

/** Merges the bytes of a token until two parts remain, or no merge is left. */
function lastParts(text: string, priorityOf: Merging['priorityOf']): readonly string[] {
  const parts = Array.from(text, (byte) => byte)
  while (parts.length > 2) {
    let best = -1
    let priority = Number.POSITIVE_INFINITY
    for (let index = 0; index + 1 < parts.length; index += 1) {
      const found = priorityOf(parts[index] ?? '', parts[index + 1] ?? '')
      if (found === undefined || found >= priority) continue
      best = index
      priority = found
    }
    if (best < 0) return parts
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`)
  }
  const [left, right] = parts
  if (right !== undefined && priorityOf(left ?? '', right) === undefined) return [...parts, '']
  return parts
}

function fillPrefixes(
  { prefix }: BpeTables,
  texts: readonly (string | null)[],
  numberOf: ReadonlyMap<string, number>,
): void {
  for (const [token, text] of texts.entries()) {
    let length = text === null ? 0 : text.length - 1
    while (length > 0 && text !== null && !numberOf.has(text.slice(0, length))) length -= 1
    prefix[token] = length > 0 && text !== null ? (numberOf.get(text.slice(0, length)) ?? -1) : -1
  }
}

/** A vocabulary cannot be counted by this engine. */
export class VocabularyError extends Error {
  override readonly name = 'VocabularyError'
  readonly code = 'vocabulary'

  constructor(reason: string) {
    super(`The vocabulary ${reason}`)
  }
}
