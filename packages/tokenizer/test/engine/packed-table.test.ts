import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { buildVocabulary, type VocabularySource } from '../../src/engine/table/build-vocabulary.ts'
import { packVocabulary, unpackVocabulary } from '../../src/engine/table/packed-table.ts'
import { TableFileError, writeTableFile } from '../../src/engine/table/table-file.ts'

const shipped = [
  'r50k_base',
  'p50k_base',
  'cl100k_base',
  'tekken',
  'deepseek',
  'qwen',
  'o200k_base',
]

const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

const small = {
  encoding: 'llama3',
  scanner: 'cl100k',
  normalization: 'none',
  special: { 999: '<｜end｜>' },
} as const

test.each(shipped.slice(0, proofSize({ quick: 1, all: shipped.length })))(
  'the table of %s for the web is its table file, to the byte',
  (name) => {
    const file = readFileSync(new URL(`../../assets/${name}.bin`, import.meta.url))
    const packed = readFileSync(new URL(`../../assets/web/${name}.pack`, import.meta.url))
    expect(packed.length).toBeLessThan(750_000)
    expect(file.equals(writeTableFile(unpackVocabulary(gunzipSync(packed))))).toBe(true)
  },
)

test.each<[string, VocabularySource]>([
  ['of merges', { ...small, tokens: [...bytes, text('ab'), text('bc'), text('abc')] }],
  [
    'that no merge makes',
    { ...small, tokens: [...bytes, text('ab'), text('wxyz'), text('wxyz1')] },
  ],
  ['of unused numbers', { ...small, tokens: [...bytes, null, text('ab'), null] }],
  ['numbered before their parts', { ...small, tokens: [...bytes, text('abc'), text('bc')] }],
])('a packed vocabulary with tokens %s is unpacked to the same tables', (_, source) => {
  const built = buildVocabulary(source)
  expect(writeTableFile(unpackVocabulary(packVocabulary(built)))).toEqual(writeTableFile(built))
})

test('bytes that are not a packed vocabulary are refused', () => {
  const packed = packVocabulary(buildVocabulary({ ...small, tokens: [...bytes, text('ab')] }))
  expect(() => unpackVocabulary(packed.subarray(1))).toThrow(TableFileError)
  expect(() => unpackVocabulary(packed.subarray(0, -1))).toThrow('bytes instead of')
})
