import { expect, test } from 'vitest'
import { type BpeTables, makesEveryToken } from '../../src/engine/bpe/bpe-tables.ts'
import { partEnd } from '../../src/engine/bpe/part-end.ts'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../../src/engine/table/table-file.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'
import { corpora } from '../support/corpora.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
/** The merges of a character of three bytes: two bytes, then the third. */
const character = (text: string): readonly Uint8Array[] => [utf8(text).subarray(0, 2), utf8(text)]
const characters = [...character('中'), ...character('国'), ...character('人')]

const small = { encoding: 'llama3', scanner: 'cl100k', normalization: 'none', special: {} } as const
const build = (...words: readonly string[]): ReturnType<typeof buildVocabulary> => {
  const unique = new Map([...bytes, ...characters, ...words.map(utf8)].map((t) => [String(t), t]))
  return buildVocabulary({ ...small, tokens: [...unique.values()] })
}

function partsOf(tables: BpeTables, text: string): readonly string[] {
  const encoded = utf8(text)
  const padded = new Uint8Array(encoded.length + 16)
  padded.set(encoded)
  const piece = {
    bytes: padded,
    view: new DataView(padded.buffer),
    start: 0,
    stop: encoded.length,
  }
  const parts: string[] = []
  for (let start = 0; start < encoded.length; ) {
    const end = partEnd(tables, piece, start)
    parts.push(new TextDecoder().decode(encoded.subarray(start, end)))
    start = end
  }
  return parts
}

test('a part ends where no merge crosses, only between wide characters', () => {
  const { tables } = build('中国')
  expect(partsOf(tables, '中国人中国国人')).toEqual(['中国', '人', '中国', '国', '人'])
  expect(partsOf(tables, 'abéc中')).toEqual(['abéc中'])
})

test('a merge of half a character with its neighbor keeps both in one part', () => {
  const tokens = [...bytes, ...characters, Uint8Array.of(0xbd, 0xe4)]
  const { tables } = buildVocabulary({ ...small, tokens })
  expect(partsOf(tables, '人中国中中人')).toEqual(['人', '中', '国中', '中', '人'])
})

test('a token that merges cannot produce is counted only if it is the whole piece', () => {
  const built = build('人人人')
  expect(makesEveryToken(built.tables)).toBe(false)
  expect(makesEveryToken(build('中国').tables)).toBe(true)
  const tokenizer = createTokenizer(writeTableFile(built))
  expect(tokenizer.countTokens('人人人')).toBe(1)
  expect(tokenizer.countTokens('国人人人')).toBe(4)
})

test('the counts of parts match the encoded piece, which decodes to the text', () => {
  const tokenizer = createTokenizer(writeTableFile(build('中国', '国人', '中国人')))
  const text = '中国人国人中人国中中国 中国人abc人é国'
  expect(tokenizer.countTokens(text)).toBe(tokenizer.encode(text).length)
  expect(tokenizer.decode(tokenizer.encode(text))).toBe(text)
  for (const sample of corpora(20_000).values()) {
    expect(tokenizer.countTokens(sample)).toBe(tokenizer.encode(sample).length)
  }
})
