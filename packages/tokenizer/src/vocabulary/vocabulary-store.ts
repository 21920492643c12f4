import { readFileSync } from 'node:fs'
import type { EncodingName } from '../engine/encoding-name.ts'
import { readTableFile, TableFileError, type Vocabulary } from '../engine/table/table-file.ts'
import { isShipped, loadShippedVocabulary } from './shipped-vocabulary.ts'

/** The user's table files, by vocabulary. */
export type VocabularyFiles = Readonly<Partial<Record<EncodingName, string | URL>>>

/** Vocabularies in shared memory, each loaded on first use. */
export type VocabularyStore = {
  readonly has: (encoding: EncodingName) => boolean
  readonly load: (encoding: EncodingName) => Vocabulary
}

const shared = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes)

export function createVocabularyStore(files: VocabularyFiles): VocabularyStore {
  const loaded = new Map<EncodingName, Vocabulary>()
  return {
    has: (encoding) => files[encoding] !== undefined || isShipped(encoding),
    load: (encoding) => {
      const vocabulary = loaded.get(encoding) ?? read(encoding, files[encoding])
      loaded.set(encoding, vocabulary)
      return vocabulary
    },
  }
}

function read(encoding: EncodingName, file: string | URL | undefined): Vocabulary {
  if (file === undefined) {
    if (isShipped(encoding)) return loadShippedVocabulary(encoding, shared)
    throw new TableFileError(`of ${encoding} is missing: pass it in the option vocabularies`)
  }
  const vocabulary = readTableFile(readFileSync(file), shared)
  if (vocabulary.header.encoding === encoding) return vocabulary
  throw new TableFileError(`contains ${vocabulary.header.encoding}, not ${encoding}`)
}
