import { createTokenCounter, type TokenCounter } from '@farebox/tokenizer/node'
import { readTokenizerFiles, type TokenizerSettings } from './read-tokenizer-files.ts'
import { ownVocabularies } from './vocabulary-paths.ts'

/**
 * Opens the token counter of the settings. The operator's vocabularies are loaded when it resolves:
 * replacing or removing a file later has no effect until the next start.
 *
 * @throws {TokenizerSettingsError} `invalid_tokenizer_file` when a file cannot be used.
 */
export async function openTokenCounter(settings: TokenizerSettings): Promise<TokenCounter> {
  const read = readTokenizerFiles(settings)
  if (read.status === 'invalid') throw new TokenizerSettingsError(read.problems)
  const { TOKENIZER_VOCABULARIES: vocabularies = {} } = settings
  const counter = createTokenCounter({ vocabularies, factors: read.factors })
  for (const { counter: name, encoding } of ownVocabularies) {
    if (vocabularies[encoding] !== undefined) await counter.countText(name, '')
  }
  return counter
}

/** An operator's tokenizer file is invalid; the message names each. */
export class TokenizerSettingsError extends Error {
  override readonly name = 'TokenizerSettingsError'
  readonly code = 'invalid_tokenizer_file'
  constructor(problems: readonly string[]) {
    super(problems.join(' '))
  }
}
