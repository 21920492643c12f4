import type { EncodingName } from '../engine/encoding-name.ts'
import type { VocabularySource } from '../engine/table/build-vocabulary.ts'
import { VocabularyError } from '../engine/table/split-tokens.ts'
import { base64Bytes } from './base64-bytes.ts'

/**
 * Reads ranks in the format of tiktoken's files and Llama 3's `tokenizer.model`: a line per token,
 * with its bytes in base64 and its id. The text is split as in cl100k_base.
 *
 * @throws VocabularyError if a line is not valid.
 */
export function convertRanks(file: string, encoding: EncodingName): VocabularySource {
  const tokens: (Uint8Array | null)[] = []
  for (const line of file.split('\n')) {
    if (line.trim() === '') continue
    const [token, rank, ...rest] = line.trim().split(' ')
    const id = Number(rank)
    if (token === undefined || rest.length > 0 || !Number.isSafeInteger(id) || id < 0) {
      throw new VocabularyError(
        `has an invalid line (expected base64 and an id): ${line.slice(0, 40)}`,
      )
    }
    while (tokens.length <= id) tokens.push(null)
    tokens[id] = decodeBase64(token)
  }
  return { encoding, scanner: 'cl100k', normalization: 'none', special: {}, tokens }
}

function decodeBase64(text: string): Uint8Array {
  const digits = text.replace(/=+$/, '')
  const bytes = digits.includes('=') ? undefined : base64Bytes(digits)
  if (bytes === undefined) throw new VocabularyError(`has a token that is not base64: ${text}`)
  return bytes
}
