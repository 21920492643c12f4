import type { EncodingName } from '../engine/encoding-name.ts'
import type { VocabularySource } from '../engine/table/build-vocabulary.ts'
import { VocabularyError } from '../engine/table/split-tokens.ts'
import type { ScannerName } from '../engine/table/table-file.ts'
import { bytesOfToken } from './byte-level.ts'
import { convertCharacters } from './convert-characters.ts'
import type { HuggingFaceTokenizer } from './hugging-face-tokenizer.ts'
import { isObject } from './is-object.ts'

const cl100kPattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
const tekkenPattern =
  '[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+'
const deepseekPattern =
  '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+'

/** The supported pre-tokenizers, by their patterns in order. */
const scannerOf: ReadonlyMap<string, ScannerName> = new Map<string, ScannerName>([
  [cl100kPattern, 'cl100k'],
  [cl100kPattern.replace('{1,3}', ''), 'qwen'],
  [tekkenPattern, 'tekken'],
  [['\\p{N}{1,3}', '[一-龥぀-ゟ゠-ヿ]+', deepseekPattern].join('\n'), 'deepseek'],
])

/**
 * Reads a `tokenizer.json` that merges bytes, or one that merges characters and falls back to bytes.
 *
 * @throws VocabularyError if its model, pre-tokenizer or normalizer is not supported.
 */
export function convertHuggingFace(
  file: HuggingFaceTokenizer,
  encoding: EncodingName,
): VocabularySource {
  const { model } = file
  if (!isObject(model)) throw new VocabularyError('has no model: use a tokenizer.json')
  if (model.byte_fallback === true) return convertCharacters(file, encoding)
  if (model.type !== 'BPE') throw new VocabularyError(`is a ${model.type} model, not BPE`)
  const special = new Map(file.added_tokens.map(({ id, content }) => [id, content]))
  const order = model.ignore_merges === true ? orderById(model.vocab) : orderByMerge(model.merges)
  const ids = order.map((text) => idOf(model.vocab, text))
  const tokens = ids.map((id, index) => (special.has(id) ? null : tokenBytes(order[index] ?? '')))
  return {
    encoding,
    scanner: scannerFor(file.pre_tokenizer),
    normalization: normalizationOf(file.normalizer),
    special: Object.fromEntries([...special].map(([id, text]) => [String(id), text])),
    tokens,
    ids,
    ...(model.ignore_merges === true ? {} : { priorityOf: priorities(model.merges) }),
  }
}

function tokenBytes(text: string): Uint8Array {
  const bytes = bytesOfToken(text)
  if (bytes === undefined) throw new VocabularyError(`has a token that is not byte-level: ${text}`)
  return bytes
}

function idOf(vocab: Readonly<Record<string, number>>, text: string): number {
  const id = Object.hasOwn(vocab, text) ? vocab[text] : undefined
  if (id === undefined) throw new VocabularyError(`has a merge into ${text}, which is not a token`)
  return id
}

/** If a whole piece that is a token needs no merges, ids are ranks, as in tiktoken. */
function orderById(vocab: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(vocab)
    .filter(([text]) => bytesOfToken(text) !== undefined)
    .sort(([, a], [, b]) => a - b)
    .map(([text]) => text)
}

type Merges = HuggingFaceTokenizer['model']['merges']

/** The single bytes, then the result of each merge, without duplicates. */
function orderByMerge(merges: Merges): readonly string[] {
  const order = new Set<string>(singleBytes())
  for (const merge of merges) order.add(partsOf(merge).join(''))
  return [...order]
}

function singleBytes(): readonly string[] {
  const letters = Array.from({ length: 0x200 }, (_, code) => String.fromCharCode(code))
  return letters.filter((letter) => bytesOfToken(letter) !== undefined)
}

function partsOf(merge: string | readonly [string, string]): readonly [string, string] {
  if (typeof merge !== 'string') return merge
  const [left = '', right = ''] = merge.split(' ')
  return [left, right]
}

function priorities(merges: Merges): (left: string, right: string) => number | undefined {
  const rank = new Map<string, number>()
  for (const [index, merge] of merges.entries()) {
    const [left, right] = partsOf(merge).map((part) => String.fromCharCode(...tokenBytes(part)))
    const key = `${left?.length} ${left}${right}`
    if (!rank.has(key)) rank.set(key, index)
  }
  return (left, right) => rank.get(`${left.length} ${left}${right}`)
}

function scannerFor(preTokenizer: unknown): ScannerName {
  const patterns = splitPatterns(preTokenizer).join('\n')
  const scanner = scannerOf.get(patterns)
  if (scanner === undefined)
    throw new VocabularyError(`is split by an unknown pattern: ${patterns}`)
  return scanner
}

function splitPatterns(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('pretokenizers' in value && Array.isArray(value.pretokenizers)) {
    return value.pretokenizers.flatMap(splitPatterns)
  }
  const pattern = 'pattern' in value ? value.pattern : undefined
  const regex = typeof pattern === 'object' && pattern !== null && 'Regex' in pattern
  return regex ? [String(pattern.Regex)] : []
}

function normalizationOf(normalizer: HuggingFaceTokenizer['normalizer']): 'none' | 'NFC' {
  if (normalizer === null || normalizer.normalizers?.length === 0) return 'none'
  if (normalizer.type === 'NFC') return 'NFC'
  throw new VocabularyError(`normalizes with ${normalizer.type}`)
}
