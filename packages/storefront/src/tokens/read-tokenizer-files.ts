import { createTokenizer, type EncodingName, parseFactors } from '@farebox/tokenizer'
import type { FactorsByCounter } from '@farebox/tokenizer/node'
import { fileContent } from '../operator-files/file-content.ts'
import { readOperatorFile } from '../operator-files/read-operator-file.ts'
import { ownVocabularies, type VocabularyPaths } from './vocabulary-paths.ts'

/** The settings with the operator's own tokenizer files. */
export type TokenizerSettings = {
  readonly TOKENIZER_VOCABULARIES?: VocabularyPaths | undefined
  readonly TOKENIZER_FACTORS?: string | undefined
}

/** The factors of the settings, or all problems of the files, one sentence each. */
export type ReadTokenizerFiles =
  | { readonly status: 'valid'; readonly factors: FactorsByCounter }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads the operator's factors, and checks that every vocabulary can be used. */
export function readTokenizerFiles(settings: TokenizerSettings): ReadTokenizerFiles {
  const { TOKENIZER_VOCABULARIES: paths = {}, TOKENIZER_FACTORS: factorsPath } = settings
  const factors = readOperatorFile(factorsPath, (json) => {
    const parsed = parseFactors(json)
    return parsed.status === 'valid' ? { value: parsed.factors } : { issues: parsed.problems }
  })
  const problems = [
    ...ownVocabularies.flatMap(({ encoding }) => {
      const wrong = vocabularyProblem(encoding, paths[encoding])
      return wrong === undefined ? [] : [`TOKENIZER_VOCABULARIES: ${wrong}`]
    }),
    ...factors.problems.map((text) => `TOKENIZER_FACTORS: ${text}`),
  ]
  return problems.length > 0
    ? { status: 'invalid', problems }
    : { status: 'valid', factors: factors.value ?? {} }
}

/** The problems of the files of the settings; reads nothing if none is set. */
export function tokenizerProblems(settings: TokenizerSettings): readonly string[] {
  const read = readTokenizerFiles(settings)
  return read.status === 'valid' ? [] : read.problems
}

function vocabularyProblem(encoding: EncodingName, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const convert = `farebox-tokenizer convert ${encoding} tokenizer.json`
  const file = fileContent(path)
  if (file === undefined) return `${path} cannot be read. Create it with: ${convert} ${path}`
  try {
    const held = createTokenizer(file).encoding
    if (held === encoding) return undefined
    return `${path} contains ${held}, not ${encoding}. Create one with: ${convert} ${encoding}.bin`
  } catch (error) {
    // Arbitrary bytes can fail anywhere, not only where the format is checked.
    const reason = error instanceof Error ? error.message : String(error)
    return `${path} is not a valid vocabulary of this version (${reason}). Rebuild it with: ${convert} ${path}`
  }
}
