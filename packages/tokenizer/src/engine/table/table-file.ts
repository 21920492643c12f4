import {
  type BpeTables,
  type TablesLayout,
  tablesBytes,
  viewTables,
  wordsOf,
} from '../bpe/bpe-tables.ts'
import type { EncodingName } from '../encoding-name.ts'
import { decodeUtf8 } from '../unicode/utf8.ts'

/** The pre-tokenizers, each named after its best-known vocabulary; `characters` has none. */
export type ScannerName =
  | 'o200k'
  | 'cl100k'
  | 'r50k'
  | 'qwen'
  | 'tekken'
  | 'deepseek'
  | 'characters'

/** The header of a table file. */
export type TableHeader = TablesLayout & {
  readonly encoding: EncodingName
  readonly scanner: ScannerName
  readonly normalization: 'none' | 'NFC'
  /** Special tokens by id: `decode` writes them, `encode` never makes them. */
  readonly special: Readonly<Record<string, string>>
  /** How many of the last tokens are symbols, which are matched before characters merge. */
  readonly symbols?: number
}

/** A vocabulary in memory. */
export type Vocabulary = {
  readonly header: TableHeader
  /** The buffer behind `tables`; threads may share it. */
  readonly memory: Uint8Array
  readonly tables: BpeTables
}

const magic = 0x34425846

/**
 * Reads a table file. Its bytes become the memory of the tables without a copy, unless `allocate`
 * returns other memory, which may be shared.
 *
 * Layout, in little-endian words of four bytes: `FXB4`, length of the header, header as JSON in
 * ASCII padded to a word, and the tables in the layout of `viewTables`.
 *
 * @throws TableFileError if the bytes are not a valid table file.
 */
export function readTableFile(
  file: Uint8Array,
  allocate?: (bytes: number) => ArrayBufferLike,
): Vocabulary {
  const header = readHeader(file)
  const expected = headerEnd(file) + tablesBytes(header)
  if (file.length !== expected) {
    throw new TableFileError(`has ${file.length} bytes instead of ${expected}`)
  }
  const fits = allocate === undefined && file.byteOffset % 4 === 0 && isLittleEndian
  const memory = fits ? file : copy(file, allocate?.(file.length))
  return { header, memory, tables: viewTables(memory, header) }
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
  if (readWord(file, 0) !== magic) throw new TableFileError('does not begin with FXB4')
  const end = headerEnd(file)
  if (end < 8 || end > file.length) throw new TableFileError('is cut off or damaged')
  return parseHeader(file.subarray(8, end))
}

export function parseHeader(json: Uint8Array): TableHeader {
  try {
    return JSON.parse(decodeUtf8(json)) as TableHeader
  } catch {
    throw new TableFileError('has a header that is not JSON')
  }
}

/** Copies the file with its words in the byte order of this machine. */
function copy(
  file: Uint8Array,
  buffer: ArrayBufferLike = new ArrayBuffer(file.length),
): Uint8Array {
  const memory = new Uint8Array(buffer)
  memory.set(file)
  if (isLittleEndian) return memory
  const header = readHeader(file)
  const words = new Int32Array(buffer, 0, headerEnd(file) / 4 + wordsOf(header))
  for (let index = 0; index < words.length; index += 1) words[index] = readWord(file, index * 4)
  return memory
}

const isLittleEndian: boolean = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** Writes what `readTableFile` reads. */
export function writeTableFile({ header, tables }: Omit<Vocabulary, 'memory'>): Uint8Array {
  const json = asciiJson(header)
  const text = json.padEnd(Math.ceil(json.length / 4) * 4, ' ')
  const file = new Uint8Array(8 + text.length + tablesBytes(header))
  const view = new DataView(file.buffer)
  view.setUint32(0, magic, true)
  view.setUint32(4, text.length, true)
  for (let index = 0; index < text.length; index += 1) file[8 + index] = text.charCodeAt(index)
  let at = 8 + text.length
  const { nodes, tokenAt, prefix, left, right, crossings, ids } = tables
  const lists = [nodes, tokenAt, prefix, left, right, crossings, ids ?? []]
  for (const list of lists) {
    for (const word of list) {
      view.setInt32(at, word, true)
      at += 4
    }
  }
  file.set(tables.threeByteCounts, at)
  file.set(tables.lengths, at + tables.threeByteCounts.length)
  return file
}

/** JSON whose characters above ASCII are escaped, so that it has a byte a character. */
export function asciiJson(header: TableHeader): string {
  return JSON.stringify(header).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The bytes are not a valid table file. */
export class TableFileError extends Error {
  override readonly name = 'TableFileError'
  readonly code = 'table_file'

  constructor(reason: string) {
    super(`The table file ${reason}`)
  }
}
