import {
  type CounterName,
  counterNames,
  type EncodingName,
  encodingNames,
  encodingsOf,
} from '@farebox/tokenizer'
import { z } from 'zod'

/** Paths of table files, by vocabulary. */
export type VocabularyPaths = Readonly<Partial<Record<EncodingName, string>>>

/** A vocabulary that is not shipped, and the counter that is exact with its file. */
type OwnVocabulary = { readonly counter: CounterName; readonly encoding: EncodingName }

/** The vocabularies that an operator can add: each has a counter that falls back to a shipped one. */
export const ownVocabularies: readonly OwnVocabulary[] = counterNames.flatMap((counter) => {
  const [encoding, without] = encodingsOf(counter)
  return encoding === undefined || without === undefined ? [] : [{ counter, encoding }]
})

const ownNames: string = ownVocabularies.map(({ encoding }) => encoding).join(' and ')

/** `llama3=/data/llama3.bin,gemma3=/data/gemma3.bin`. */
export const vocabularyPaths = z.string().transform((text, context): VocabularyPaths => {
  const paths: Partial<Record<EncodingName, string>> = {}
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, name = '', path = ''] = /^([^=]*)=(.*)$/.exec(part) ?? []
    const own = ownVocabularies.find(({ encoding }) => encoding === name.trim())
    if (path.trim() === '') {
      context.addIssue(`contains ${JSON.stringify(part)}: use NAME=FILE, separated by commas`)
    } else if (own === undefined) {
      context.addIssue(`names ${JSON.stringify(name.trim())}${whyNot(name.trim())}`)
    } else if (paths[own.encoding] !== undefined) {
      context.addIssue(`names ${own.encoding} twice: use one file for each vocabulary`)
    } else paths[own.encoding] = path.trim()
  }
  return paths
})

function whyNot(name: string): string {
  const isKnown = encodingNames.some((encoding) => encoding === name)
  return `, which is ${isKnown ? 'shipped' : 'not a vocabulary'}: files are accepted for ${ownNames}`
}
