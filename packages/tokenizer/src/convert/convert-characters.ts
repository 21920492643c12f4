import { metaspace } from '../engine/characters/character-window.ts'
import type { EncodingName } from '../engine/encoding-name.ts'
import type { VocabularySource } from '../engine/table/build-vocabulary.ts'
import { VocabularyError } from '../engine/table/split-tokens.ts'
import { encodeUtf8 } from '../engine/unicode/utf8.ts'
import type { HuggingFaceTokenizer } from './hugging-face-tokenizer.ts'
import { isObject } from './is-object.ts'

/**
 * Reads a `tokenizer.json` made from a SentencePiece model that merges characters over the whole text,
 * as Gemma's does, and counts as SentencePiece does: symbols first, the longest at each place; any
 * two neighbors that form a token merge, the earliest token first; a character without a token
 * becomes bytes.
 *
 * Added tokens are symbols, except that special ones are ordinary text.
 *
 * @throws VocabularyError if the file is of another kind.
 */
export function convertCharacters(
  file: HuggingFaceTokenizer,
  encoding: EncodingName,
): VocabularySource {
  requireKind(file)
  const { vocab } = file.model
  const special = file.added_tokens.filter((token) => token.special === true)
  const symbols = file.added_tokens.filter((token) => token.special !== true)
  const added = new Set(file.added_tokens.map(({ content }) => content))
  const bytes = Array.from({ length: 256 }, (_, byte) => byteName(byte))
  const holdsSymbol = symbolFinder(symbols.map(({ content }) => content))
  const made = orderOfMerging(file, new Set([...added, ...bytes])).filter(
    (text) => !holdsSymbol(text),
  )
  const characters = Object.keys(vocab).filter((text) => isCharacter(text) && !added.has(text))
  const merging = [...characters, ...made]
  const texts = [...merging, ...symbols.map(({ content }) => content)]
  const names = new Set([...bytes, ...merging, ...added])
  const idle = Object.keys(vocab).filter((text) => !names.has(text))
  return {
    encoding,
    scanner: 'characters',
    normalization: 'none',
    atoms: 'characters',
    symbols: symbols.length,
    special: {
      ...Object.fromEntries(special.map(({ id, content }) => [String(id), content])),
      ...Object.fromEntries(idle.map((text) => [String(idIn(vocab, text)), withSpaces(text)])),
    },
    tokens: [
      ...bytes.map((_, byte) => Uint8Array.of(byte)),
      ...texts.map((text) => encodeUtf8(withSpaces(text))),
    ],
    ids: [
      ...[...bytes, ...merging].map((text) => idIn(vocab, text)),
      ...symbols.map(({ id }) => id),
    ],
  }
}

const withSpaces = (text: string): string => text.replaceAll(metaspace, ' ')

const byteName = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`

const isCharacter = (text: string): boolean =>
  text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)

function requireKind({ model, normalizer, pre_tokenizer: split }: HuggingFaceTokenizer): void {
  if (model.type !== 'BPE') throw new VocabularyError(`is a ${model.type} model, not BPE`)
  const { type, pattern, content } = normalizer ?? { type: 'nothing' }
  const isKnown = type === 'Replace' && content === metaspace && isSpace(pattern)
  if (!isKnown) throw new VocabularyError(`normalizes with ${type}`)
  // Normalizing replaces the spaces, so the split has no effect.
  const isWhole = split === null || (isObject(split) && isSpace(split['pattern']))
  if (!isWhole) throw new VocabularyError('is split before it merges')
  if (model.ignore_merges === true) throw new VocabularyError('ignores merges')
}

function isSpace(pattern: unknown): boolean {
  return isObject(pattern) && pattern['String'] === ' '
}

function idIn(vocab: HuggingFaceTokenizer['model']['vocab'], text: string): number {
  const id = Object.hasOwn(vocab, text) ? vocab[text] : undefined
  if (id === undefined) throw new VocabularyError(`has no token ${text}`)
  return id
}

/**
 * The tokens that merges produce, in order. A file from a SentencePiece model lists all pairs that
 * form a token one after another; only then does the order of tokens determine everything. Tokens
 * in `unmade` are not produced by merges.
 */
function orderOfMerging(
  { model }: HuggingFaceTokenizer,
  unmade: ReadonlySet<string>,
): readonly string[] {
  const listed = new Map<string, number>()
  let last = ''
  for (const merge of model.merges) {
    const text = typeof merge === 'string' ? merge.replace(' ', '') : merge.join('')
    if (unmade.has(text)) continue
    const count = listed.get(text) ?? 0
    if (count > 0 && text !== last)
      throw new VocabularyError(`has merges into ${text} in several places`)
    listed.set(text, count + 1)
    last = text
  }
  for (const text of Object.keys(model.vocab)) {
    if (!unmade.has(text) && (listed.get(text) ?? 0) !== waysToMake(text, model.vocab)) {
      throw new VocabularyError(`does not list every merge into ${text}`)
    }
  }
  return [...listed.keys()]
}

/** A token that contains a symbol never occurs: its text is cut at the symbol first. */
function symbolFinder(symbols: readonly string[]): (text: string) => boolean {
  const known = new Set(symbols)
  const lengthsOf = new Map<string, Set<number>>()
  for (const symbol of symbols) {
    const first = symbol.charAt(0)
    lengthsOf.set(first, (lengthsOf.get(first) ?? new Set()).add(symbol.length))
  }
  return (text) => {
    for (let at = 0; at < text.length; at += 1) {
      for (const length of lengthsOf.get(text.charAt(at)) ?? []) {
        if (known.has(text.slice(at, at + length))) return true
      }
    }
    return false
  }
}

function waysToMake(text: string, vocab: HuggingFaceTokenizer['model']['vocab']): number {
  let ways = 0
  for (let length = 1; length < text.length; length += 1) {
    if (Object.hasOwn(vocab, text.slice(0, length)) && Object.hasOwn(vocab, text.slice(length))) {
      ways += 1
    }
  }
  return ways
}
