import type { EncodingName } from '../encoding-name.ts'
import {
  type BpeTables,
  fillDerived,
  type TablesLayout,
  tablesBytes,
  viewTables,
} from './bpe-tables.ts'

/** The pre-tokenisers, by the vocabulary that made each known. */
export type ScannerName = 'o200k' | 'cl100k' | 'r50k' | 'qwen' | 'tekken' | 'deepseek'

/** What the head of a table file says. */
export type TableHeader = TablesLayout & {
  readonly encoding: EncodingName
  readonly scanner: ScannerName
  readonly normalization: 'none' | 'NFC'
  /** Special tokens by id: `decode` writes them, `encode` never makes them. */
  readonly special: Readonly<Record<string, string>>
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

const magic = 0x31425846

/**
 * Reads a table file. `allocate` may give shared memory; by default it is ordinary.
 *
 * Layout, little endian: `FXB1`, length of the header, header as JSON in ASCII padded to four
 * bytes, the nodes of the trie; then in planes of a byte each, lowest first: the tokens of the
 * slots that hold one (3), prefix + 1 (3), left (3), right (3), and ids (3) if renumbered.
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
  let at = headerEnd(file)
  at = readNodes(file, at, tables.nodes)
  const otherWords = tokens * 3 + (header.renumbered ? firstPart : 0)
  const tokenSlots = (file.length - at) / 3 - otherWords
  if (!Number.isInteger(tokenSlots) || tokenSlots < 256 || tokenSlots > firstPart) {
    throw new TableFileError(`is cut or too long for ${slots} slots and ${tokens} tokens`)
  }
  at = placeTokens(file, at, { tables, tokenSlots })
  at = readPlanes(file, at, tables.prefix)
  for (let token = 0; token < tokens; token += 1) {
    tables.prefix[token] = (tables.prefix[token] ?? 0) - 1
  }
  at = readPlanes(file, at, tables.left)
  at = readPlanes(file, at, tables.right)
  fillDerived(tables)
  const ids = header.renumbered ? new Int32Array(firstPart) : null
  if (ids !== null) readPlanes(file, at, ids)
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
  if (readWord(file, 0) !== magic) throw new TableFileError('does not begin with FXB1')
  const text = String.fromCharCode(...file.subarray(8, headerEnd(file)))
  const header: TableHeader = JSON.parse(text)
  return header
}

/** Copies the nodes at once where the bytes lie as this machine reads words. */
function readNodes(file: Uint8Array, start: number, nodes: Int32Array): number {
  const stop = start + nodes.length * 4
  if (stop > file.length) throw new TableFileError('ends within the trie')
  const place = file.byteOffset + start
  if (place % 4 === 0 && isLittleEndian) {
    nodes.set(new Int32Array(file.buffer, place, nodes.length))
    return stop
  }
  for (let slot = 0; slot < nodes.length; slot += 1) nodes[slot] = readWord(file, start + slot * 4)
  return stop
}

const isLittleEndian: boolean = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

type TokenSlots = { readonly tables: BpeTables; readonly tokenSlots: number }

function placeTokens(file: Uint8Array, start: number, { tables, tokenSlots }: TokenSlots): number {
  const { nodes, tokenAt } = tables
  const tokens = new Int32Array(tokenSlots)
  const stop = readPlanes(file, start, tokens)
  let next = 0
  for (let slot = 0; slot < nodes.length; slot += 1) {
    if (((nodes[slot] ?? 0) & 512) === 0) continue
    tokenAt[slot] = tokens[next] ?? 0
    next += 1
  }
  return stop
}

function readPlanes(file: Uint8Array, start: number, words: Int32Array): number {
  const plane = words.length
  for (let index = 0; index < plane; index += 1) {
    words[index] =
      (file[start + index] ?? 0) |
      ((file[start + plane + index] ?? 0) << 8) |
      ((file[start + 2 * plane + index] ?? 0) << 16)
  }
  return start + plane * 3
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
  const lists = [
    tokensInSlots,
    tables.prefix.map((token) => token + 1),
    tables.left,
    tables.right,
    ...(ids === null ? [] : [ids]),
  ]
  const planes = lists.reduce((sum, list) => sum + list.length * 3, 0)
  const file = new Uint8Array(8 + text.length + header.slots * 4 + planes)
  const view = new DataView(file.buffer)
  view.setUint32(0, magic, true)
  view.setUint32(4, text.length, true)
  for (let index = 0; index < text.length; index += 1) file[8 + index] = text.charCodeAt(index)
  let at = 8 + text.length
  for (let slot = 0; slot < header.slots; slot += 1, at += 4)
    view.setInt32(at, nodes[slot] ?? 0, true)
  for (const list of lists) at = writePlanes(file, at, list)
  return file
}

function writePlanes(file: Uint8Array, start: number, words: Int32Array): number {
  for (const [index, word] of words.entries()) {
    file[start + index] = word & 255
    file[start + words.length + index] = (word >>> 8) & 255
    file[start + words.length * 2 + index] = word >>> 16
  }
  return start + words.length * 3
}

/** Bytes were given as a table file that are none. */
export class TableFileError extends Error {
  override readonly name = 'TableFileError'
  readonly code = 'table_file'

  constructor(reason: string) {
    super(`The table file ${reason}`)
  }
}
