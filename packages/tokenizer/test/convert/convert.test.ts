import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { bytesOfToken } from '../../src/convert/byte-level.ts'
import { convertHuggingFace } from '../../src/convert/convert-hugging-face.ts'
import { convertRanks } from '../../src/convert/convert-ranks.ts'
import type { HuggingFaceTokenizer } from '../../src/convert/hugging-face-tokenizer.ts'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../../src/engine/table/table-file.ts'
import * as r50k from '../../src/r50k-base.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'

const letters = Array.from({ length: 0x200 }, (_, code) => String.fromCharCode(code)).filter(
  (letter) => bytesOfToken(letter) !== undefined,
)
const qwenPattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

const small: HuggingFaceTokenizer = {
  added_tokens: [{ id: 900, content: '<|end|>' }],
  normalizer: { type: 'NFC' },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [{ type: 'Split', pattern: { Regex: qwenPattern } }, { type: 'ByteLevel' }],
  },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries([...letters, 'ab', 'Ġab'].map((token, id) => [token, id + 7])),
    merges: ['a b', ['Ġ', 'ab']],
  },
}

test('256 letters represent the bytes', () => {
  expect(letters.length).toBe(256)
  expect(bytesOfToken('Ġa')).toEqual(Uint8Array.of(32, 97))
  expect(bytesOfToken('的')).toBeUndefined()
})

test('a tokenizer.json is converted with its ids', () => {
  const tokenizer = createTokenizer(
    writeTableFile(buildVocabulary(convertHuggingFace(small, 'qwen'))),
  )
  const { vocab } = small.model
  expect(tokenizer.encode('ab ab')).toEqual([vocab['ab'], vocab['Ġab']])
  expect(tokenizer.encode('e\u0301')).toEqual(tokenizer.encode('é'))
  expect(tokenizer.decode([263, 900])).toBe('ab<|end|>')
})

test.each([
  ['another model', { model: { ...small.model, type: 'Unigram' } }, 'is a Unigram model'],
  ['another pattern', { pre_tokenizer: null }, 'split by an unknown pattern'],
  ['another normalizer', { normalizer: { type: 'NFKC' } }, 'normalizes with NFKC'],
  [
    'a merge into an unknown token',
    { model: { ...small.model, merges: ['b a'] } },
    'which is not a token',
  ],
])('%s is rejected', (_, change, reason) => {
  expect(() => convertHuggingFace({ ...small, ...change }, 'qwen')).toThrow(reason)
})

test('ranks are converted', () => {
  const require = createRequire(import.meta.url)
  const encoder = JSON.parse(
    readFileSync(require.resolve('tiktoken/encoders/r50k_base.json'), 'utf8'),
  )
  const [, , ...tokens]: string[] = encoder.bpe_ranks.split(' ')
  const lines = tokens.slice(0, 5000).map((token, rank) => `${token} ${rank}`)
  const source = convertRanks(`${lines.join('\n')}\n`, 'llama3')
  const tokenizer = createTokenizer(writeTableFile(buildVocabulary(source)))
  expect(tokenizer.encode(' the time')).toEqual(r50k.encode(' the time'))
  expect(() => convertRanks('no rank', 'llama3')).toThrow('no rank')
  expect(() => convertRanks('€€ 1', 'llama3')).toThrow('not base64')
  expect(() => convertRanks('QQ==QQ 1', 'llama3')).toThrow('not base64')
})
