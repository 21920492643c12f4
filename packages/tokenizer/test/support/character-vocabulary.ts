import type { HuggingFaceTokenizer } from '../../src/convert/hugging-face-tokenizer.ts'
import { seeded } from './seeded.ts'

/** A `tokenizer.json` in the format of Gemma's, and the tokens that its characters merge to. */
export type CharacterVocabulary = {
  readonly json: HuggingFaceTokenizer
  /** In the order of merging. */
  readonly made: readonly string[]
  readonly symbols: readonly string[]
}

const words =
  'the theme them this thesis other a aa aaa aaaaaaaa ab aba abab 中国 中文 中国的 的 的的 😀 😀😀 été ét ---- > </'.split(
    ' ',
  )

function trainingText(): string {
  const { pick } = seeded(3)
  return Array.from({ length: 1500 }, () => `${pick(words)}${pick(['▁', '▁', ''])}`).join('')
}

const runs = (unit: string): readonly string[] =>
  Array.from({ length: 5 }, (_, length) => unit.repeat(length + 1))

export const specialTokens = ['<bos>', '<start_of_turn>'] as const

/**
 * Trains `merges` merges on a small text, most frequent pair first, as SentencePiece does:
 * symbols and bytes come before merged tokens, characters after them.
 */
export function characterVocabulary(merges = 60): CharacterVocabulary {
  const symbols = [
    ...runs('\n'),
    ...runs('\t'),
    ...runs('▁').slice(1),
    ...['<b>', '</b>', '<unused1>', '<unused10>', '[multi]'],
  ]
  const made = train(merges)
  const characters = new Set([...trainingText(), ...'</bunsedmlti[]>1'])
  const bytes = Array.from({ length: 256 }, (_, byte) => byteName(byte))
  const texts = [...specialTokens, ...symbols, ...bytes, ...made, ...characters]
  const vocab = Object.fromEntries(texts.map((text, id) => [text, id]))
  const json: HuggingFaceTokenizer = {
    added_tokens: [...specialTokens, ...symbols].map((content, id) => ({
      id,
      content,
      special: id < specialTokens.length,
    })),
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: { type: 'Split', pattern: { String: ' ' } },
    model: {
      type: 'BPE',
      byte_fallback: true,
      vocab,
      merges: made.flatMap((text) => splitsOf(text, vocab)),
    },
  }
  return { json, made, symbols }
}

export const byteName = (byte: number): string =>
  `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`

/** All pairs of tokens that form a token. */
function splitsOf(
  text: string,
  vocab: Readonly<Record<string, number>>,
): readonly (readonly [string, string])[] {
  const splits = Array.from(
    { length: text.length - 1 },
    (_, at) => [text.slice(0, at + 1), text.slice(at + 1)] as const,
  )
  return splits.filter((parts) => parts.every((part) => vocab[part] !== undefined))
}

/** A space can only begin a token, with one exception, as in Gemma's. */
function isLearnt(text: string): boolean {
  return !text.slice(1).includes('▁') || text.startsWith('>▁')
}

function train(merges: number): readonly string[] {
  const made: string[] = []
  let parts = [...trainingText()]
  while (made.length < merges) {
    const counts = new Map<string, number>()
    for (const [at, part] of parts.entries()) {
      const pair = part + (parts[at + 1] ?? '')
      if (at + 1 < parts.length && isLearnt(pair)) counts.set(pair, (counts.get(pair) ?? 0) + 1)
    }
    const [best] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
    if (best === undefined || made.includes(best)) break
    made.push(best)
    parts = mergeAll(parts, best)
  }
  return made
}

/** Joins all neighbours that form `token`, from the left. */
export function mergeAll(parts: readonly string[], token: string): string[] {
  const merged: string[] = []
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? ''
    if (at + 1 < parts.length && part + (parts[at + 1] ?? '') === token) {
      merged.push(token)
      at += 1
    } else merged.push(part)
  }
  return merged
}
