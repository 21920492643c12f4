import type { EncodingName } from '../encoding-name.ts'
import {
  type BpeTables,
  fillDerived,
  type TablesLayout,
  tablesBytes,
  viewTables,
} from './bpe-tables.ts'
import { measureCharacters } from './character-atoms.ts'

/** The pre-tokenisers, by the vocabulary that made each known; `characters` has none. */
export type ScannerName =
  | 'o200k'
  | 'cl100k'
  | 'r50k'
  | 'qwen'
  | 'tekken'
  | 'deepseek'
  | 'characters'

/** What the head of a table file says. */
export type TableHeader = TablesLayout & {
  readonly encoding: EncodingName
  readonly scanner: ScannerName
  readonly normalization: 'none' | 'NFC'
  /** Special tokens by id: `decode` writes them, `encode` never makes them. */
  readonly special: Readonly<Record<string, string>>
  /** How many tokens, the last ones, are found in a text before its characters merge. */
  readonly symbols?: number
  /** Whether ids differ from merge priorities, and the file ends with a list of them. */
  readonly renumbered: boolean
}

/** A vocabulary in memory. */
export type Vocabulary = {
  readonly header: TableHeader
  /** The buffer under `tables`; it may be shared between threads. */
  readonly buffer: ArrayBufferLike
  readonly tables: BpeTables
  /** Ids by merge priority, or `null` where they are equal. */
  readonly ids: Int32Array | null
}

const magic = 0x32425846

/**
 * Reads a table file. `allocate` may give shared memory; by default it is ordinary.
 *
 * Layout, in words of four bytes, the lowest first: `FXB2`, bytes of the header, header as JSON in
 * ASCII padded to a word; the nodes of the trie, the tokens of those slots that hold one, prefix,
 * left, right, and ids if renumbered.
 *
 * @throws TableFileError if the bytes are no such file.
 */
export function readTableFile(
  file: Uint8Array,
  allocate: (bytes: number) => ArrayBufferLike = (bytes) => new ArrayBuffer(bytes),
): Vocabulary {
  const header = readHeader(file)
  const buffer = allocate(tablesBytes(header))
  const tables = viewTables(buffer, header)
  const { slots, tokens, firstPart } = header
  const idWords = header.renumbered ? firstPart : 0
  const start = headerEnd(file)
  const tokenSlots = (file.length - start) / 4 - slots - tokens * 3 - idWords
  if (!Number.isInteger(tokenSlots) || tokenSlots < 256 || tokenSlots > firstPart) {
    throw new TableFileError(`is cut or too long for ${slots} slots and ${tokens} tokens`)
  }
  const tokenList = new Int32Array(tokenSlots)
  const ids = header.renumbered ? new Int32Array(firstPart) : null
  const { nodes, prefix, left, right } = tables
  let at = start
  for (const words of [nodes, tokenList, prefix, left, right, ...(ids === null ? [] : [ids])]) {
    readWords(file, at, words)
    at += words.length * 4
  }
  placeTokens(tables, tokenList)
  fillDerived(tables)
  if (header.scanner === 'characters') measureCharacters(tables)
  return { header, buffer, tables, ids }
}

function readWord(file: Uint8Array, at: number): number {
  return (
    (file[at] ?? 0) |
    ((file[at + 1] ?? 0) << 8) |
    ((file[at + 2] ?? 0) << 16) |
    ((file[at + 3] ?? 0) << 24)
  )
}

function headerEnd(file: Uint8Array): number {
  return 8 + readWord(file, 4)
}

function readHeader(file: Uint8Array): TableHeader {
  if (readWord(file, 0) !== magic) throw new TableFileError('does not begin with FXB2')
  const text = String.fromCharCode(...file.subarray(8, headerEnd(file)))
  return JSON.parse(text) as TableHeader
}

/** Copies words at once where they lie in the file as this machine has them in memory. */
function readWords(file: Uint8Array, start: number, words: Int32Array): void {
  const place = file.byteOffset + start
  if (place % 4 === 0 && isLittleEndian) {
    words.set(new Int32Array(file.buffer, place, words.length))
    return
  }
  for (let index = 0; index < words.length; index += 1) {
    words[index] = readWord(file, start + index * 4)
  }
}

const isLittleEndian: boolean = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

function placeTokens({ nodes, tokenAt }: BpeTables, tokens: Int32Array): void {
  let next = 0
  for (let slot = 0; slot < nodes.length; slot += 1) {
    if (((nodes[slot] ?? 0) & 512) === 0) continue
    tokenAt[slot] = tokens[next] ?? 0
    next += 1
  }
}

/** Writes what `readTableFile` reads. */
export function writeTableFile({ header, tables, ids }: Omit<Vocabulary, 'buffer'>): Uint8Array {
  const json = JSON.stringify(header).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const text = json.padEnd(Math.ceil(json.length / 4) * 4, ' ')
  const { nodes, tokenAt } = tables
  const tokensInSlots = tokenAt.filter((_, slot) => ((nodes[slot] ?? 0) & 512) !== 0)
  const lists = [nodes, tokensInSlots, tables.prefix, tables.left, tables.right]
  const words = ids === null ? lists : [...lists, ids]
  const size = words.reduce((sum, list) => sum + list.length * 4, 8 + text.length)
  const file = new Uint8Array(size)
  const view = new DataView(file.buffer)
  view.setUint32(0, magic, true)
  view.setUint32(4, text.length, true)
  for (let index = 0; index < text.length; index += 1) file[8 + index] = text.charCodeAt(index)
  let at = 8 + text.length
  for (const list of words) {
    for (const word of list) {
      view.setInt32(at, word, true)
      at += 4
    }
  }
  return file
}

/** Bytes were given as a table file that are none. */
export class TableFileError extends Error {
  override readonly name = 'TableFileError'
  readonly code = 'table_file'

  constructor(reason: string) {
    super(`The table file ${reason}`)
  }
}
