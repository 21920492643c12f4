import { fetchVocabulary } from './browser/fetch-vocabulary.ts'
import { tokenizerOf } from './vocabulary/create-tokenizer.ts'
import type { Tokenizer } from './vocabulary/tokenizer.ts'

/**
 * Fetches a table of `assets/web` or `assets`, and creates its tokenizer. For bundlers that do not
 * resolve `new URL('…', import.meta.url)`, which the entry points of the vocabularies use.
 *
 * @throws TableFileError if the server's answer is not a table.
 */
export async function fetchTokenizer(url: string | URL): Promise<Tokenizer> {
  return tokenizerOf(await fetchVocabulary(url))
}
