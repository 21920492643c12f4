import { type BpeTables, tablesBytes, viewTables } from '../bpe/bpe-tables.ts'
import { eachJoined } from '../bpe/character-atoms.ts'
import { fillCrossings } from '../bpe/may-cross.ts'
import { childSlot, endsToken } from '../bpe/trie.ts'
import { decodeUtf8 } from '../unicode/utf8.ts'
import { buildTrie } from './build-trie.ts'
import { fillThreeByteCounts } from './fill-three-byte-counts.ts'
import { asciiJson, parseHeader, TableFileError, type Vocabulary } from './table-file.ts'
import { atomBytes } from './token-bytes.ts'

const magic = 'FXP1'

/**
 * A vocabulary without what its merges define, for downloads: an eighth of a table file's size once
 * compressed. Only for vocabularies whose merging starts from bytes.
 *
 * Layout: `FXP1`, the header as a line of JSON in ASCII, then lists of numbers as three planes of
 * bytes, the lowest first: the tokens of the 256 bytes, `left`, `right` and, if renumbered, `ids`.
 */
export function packVocabulary({ header, tables }: Omit<Vocabulary, 'memory'>): Uint8Array {
  const byteTokens = new Int32Array(256)
  for (const [token, [byte = 0]] of atomBytes({ header, tables })) byteTokens[byte] = token
  const text = `${magic}${asciiJson(header)}\n`
  const { left, right, ids } = tables
  const lists = [byteTokens, left, right, ids ?? new Int32Array(0)]
  const numbers = lists.reduce((sum, list) => sum + list.length, 0)
  const packed = new Uint8Array(text.length + 3 * numbers)
  for (let index = 0; index < text.length; index += 1) packed[index] = text.charCodeAt(index)
  let at = text.length
  for (const list of lists) {
    for (const [index, number] of list.entries()) {
      packed[at + index] = number
      packed[at + list.length + index] = number >>> 8
      packed[at + 2 * list.length + index] = number >>> 16
    }
    at += 3 * list.length
  }
  return packed
}

/**
 * Builds the tables of a packed vocabulary, the same to the byte as those of its table file.
 *
 * @throws TableFileError if the bytes are not a packed vocabulary.
 */
export function unpackVocabulary(packed: Uint8Array): Vocabulary {
  const end = packed.indexOf(0x0a)
  const begins = decodeUtf8(packed.subarray(0, magic.length)) === magic
  if (!begins || end < 0) throw new TableFileError(`does not begin with ${magic} and a header`)
  const header = parseHeader(packed.subarray(magic.length, end))
  const { tokens: size, firstPart, slots, renumbered } = header
  const numbers = 256 + 2 * size + (renumbered ? firstPart : 0)
  if (packed.length !== end + 1 + 3 * numbers) {
    throw new TableFileError(`has ${packed.length} bytes instead of ${end + 1 + 3 * numbers}`)
  }
  const memory = new Uint8Array(tablesBytes(header))
  const tables = viewTables(memory, header)
  const byteTokens = new Int32Array(256)
  let at = end + 1
  for (const list of [byteTokens, tables.left, tables.right, tables.ids]) {
    if (list === null) continue
    readPlanes(packed, at, list)
    at += 3 * list.length
  }
  const tokens = bytesOfTokens(tables, byteTokens)
  const trie = buildTrie(tokens)
  if (trie.nodes.length !== slots) throw new TableFileError('does not match its header')
  tables.nodes.set(trie.nodes)
  tables.tokenAt.set(trie.tokenAt)
  fillPrefixes(tables, tokens)
  fillCrossings(tables, tokens)
  fillThreeByteCounts(tables)
  return { header, memory, tables }
}

function readPlanes(packed: Uint8Array, at: number, list: Int32Array): void {
  const { length } = list
  for (let index = 0; index < length; index += 1) {
    list[index] =
      (packed[at + index] ?? 0) |
      ((packed[at + length + index] ?? 0) << 8) |
      ((packed[at + 2 * length + index] ?? 0) << 16)
  }
}

/** The bytes of each token, `null` for an unused number. Fills `lengths`. */
function bytesOfTokens(tables: BpeTables, byteTokens: Int32Array): readonly (Uint8Array | null)[] {
  const { left, right, lengths, firstPart } = tables
  const texts: (Uint8Array | null)[] = Array.from(left, () => null)
  for (const [byte, token] of byteTokens.entries()) texts[token] = Uint8Array.of(byte)
  eachJoined(tables, (token) => {
    const first = texts[left[token] ?? 0] ?? null
    const second = texts[right[token] ?? 0] ?? null
    if (first === null || second === null) return
    const bytes = new Uint8Array(first.length + second.length)
    bytes.set(first)
    bytes.set(second, first.length)
    texts[token] = bytes
  })
  for (const [token, bytes] of texts.entries()) lengths[token] = bytes?.length ?? 1
  return texts.slice(0, firstPart)
}

/** The longest proper prefix of each token that is a token which merges can produce. */
function fillPrefixes(tables: BpeTables, tokens: readonly (Uint8Array | null)[]): void {
  const { nodes, tokenAt, prefix, left, firstPart } = tables
  prefix.fill(-1)
  for (const [token, bytes] of tokens.entries()) {
    if (bytes === null) continue
    let slot = 0
    for (let index = 0; index + 1 < bytes.length; index += 1) {
      slot = childSlot(nodes, slot, bytes[index] ?? 0)
      const shorter = tokenAt[slot] ?? 0
      if (endsToken(nodes[slot] ?? 0) && (left[shorter] ?? 0) < firstPart) prefix[token] = shorter
    }
  }
}
