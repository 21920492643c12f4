import { unpackVocabulary } from '../engine/table/packed-table.ts'
import { readTableFile, TableFileError, type Vocabulary } from '../engine/table/table-file.ts'

/**
 * Fetches a packed vocabulary or a table file, compressed with gzip or not: a server may have
 * declared the compression, so that the browser has undone it.
 *
 * @throws TableFileError if the server's answer is not one of these.
 */
export async function fetchVocabulary(url: string | URL): Promise<Vocabulary> {
  const response = await fetch(url)
  if (!response.ok) throw new TableFileError(`at ${String(url)} returned HTTP ${response.status}`)
  const received = new Uint8Array(await response.arrayBuffer())
  const file = isGzip(received) ? await gunzip(received) : received
  if (isPacked(file)) return unpackVocabulary(file)
  if (isTableFile(file)) return readTableFile(file)
  const type = response.headers.get('content-type') ?? 'bytes without a type'
  throw new TableFileError(
    `at ${String(url)} is not a table: the server sent ${type}. See "Browsers" in the README of @farebox/tokenizer.`,
  )
}

/** A packed vocabulary begins with `FXP`, a table file with `FXB`. */
const isPacked = (file: Uint8Array): boolean => begins(file, [0x46, 0x58, 0x50])

const isTableFile = (file: Uint8Array): boolean => begins(file, [0x46, 0x58, 0x42])

const begins = (file: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, at) => file[at] === byte)

const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
