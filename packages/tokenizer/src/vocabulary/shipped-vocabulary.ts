import { readFileSync } from 'node:fs'
import type { EncodingName } from '../engine/encoding-name.ts'
import { readTableFile, type Vocabulary } from '../engine/table/table-file.ts'
import { withHarmonyHeader } from './with-harmony-header.ts'

export type ShippedEncoding =
  | 'o200k_base'
  | 'o200k_harmony'
  | 'cl100k_base'
  | 'p50k_base'
  | 'r50k_base'
  | 'qwen'
  | 'deepseek'
  | 'tekken'

/** The vocabularies whose tables are shipped, with the names of their files. */
const files: Readonly<Record<ShippedEncoding, string>> = {
  o200k_base: 'o200k_base',
  o200k_harmony: 'o200k_base',
  cl100k_base: 'cl100k_base',
  p50k_base: 'p50k_base',
  r50k_base: 'r50k_base',
  qwen: 'qwen',
  deepseek: 'deepseek',
  tekken: 'tekken',
}

export function isShipped(encoding: EncodingName): encoding is ShippedEncoding {
  return Object.hasOwn(files, encoding)
}

/** The build puts all modules into one folder; the sources are one folder deeper. */
function assetsFolder(): URL {
  const folder = import.meta.url.endsWith('.ts') ? '../../assets/' : '../assets/'
  return new URL(folder, import.meta.url)
}

/** Reads a shipped vocabulary from the package's `assets`; `allocate` may return shared memory. */
export function loadShippedVocabulary(
  encoding: ShippedEncoding,
  allocate?: (bytes: number) => ArrayBufferLike,
): Vocabulary {
  const file = readFileSync(new URL(`${files[encoding]}.bin`, assetsFolder()))
  const vocabulary = readTableFile(file, allocate)
  return encoding === 'o200k_harmony' ? withHarmonyHeader(vocabulary) : vocabulary
}
