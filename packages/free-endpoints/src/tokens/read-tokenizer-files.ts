import { createTokenizer, type EncodingName, parseFactors } from '@farebox/tokenizer'
import type { FactorsByCounter } from '@farebox/tokenizer/node'
import { fileContent } from '../catalog/file-content.ts'
import { readOperatorFile } from '../catalog/read-operator-file.ts'
import { ownVocabularies, type VocabularyPaths } from './vocabulary-paths.ts'

/** The settings that say with which files of the operator's own tokens are counted. */
export type TokenizerSettings = {
  readonly TOKENIZER_VOCABULARIES?: VocabularyPaths | undefined
  readonly TOKENIZER_FACTORS?: string | undefined
}

/** The factors of the settings, or everything that is wrong with the files, one sentence each. */
export type ReadTokenizerFiles =
  | { readonly status: 'valid'; readonly factors: FactorsByCounter }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** Reads the operator's factors, and every vocabulary to see that it can be counted with. */
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

/** What is wrong with the files of the settings; nothing is read without any. */
export function tokenizerProblems(settings: TokenizerSettings): readonly string[] {
  const read = readTokenizerFiles(settings)
  return read.status === 'valid' ? [] : read.problems
}

function vocabularyProblem(encoding: EncodingName, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const convert = `farebox-tokenizer convert ${encoding} tokenizer.json`
  const file = fileContent(path)
  if (file === undefined) return `${path} cannot be read. Make it with: ${convert} ${path}`
  try {
    const held = createTokenizer(file).encoding
    if (held === encoding) return undefined
    return `${path} holds ${held}, not ${encoding}. Give a file made with: ${convert} ${encoding}.bin`
  } catch (error) {
    // Bytes of any other kind may fail anywhere on the way, not only where the format is checked.
    const says = error instanceof Error ? error.message : String(error)
    return `${path} is no vocabulary of this version (${says}). Make it anew with: ${convert} ${path}`
  }
}
