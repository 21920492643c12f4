import { expect, test } from 'vitest'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { unpackVocabulary } from '../../src/engine/table/packed-table.ts'
import { VocabularyError } from '../../src/engine/table/split-tokens.ts'
import { readTableFile, TableFileError, writeTableFile } from '../../src/engine/table/table-file.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'

const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

const small = {
  encoding: 'llama3',
  scanner: 'cl100k',
  normalization: 'none',
  special: { 999: '<｜end｜>' },
} as const

test('a vocabulary that was written and read back counts by its merges', () => {
  const tokens = [...bytes, text('ab'), text('bc'), text('abc'), text('abcd')]
  const tokenizer = createTokenizer(writeTableFile(buildVocabulary({ ...small, tokens })))
  expect(tokenizer.encode('abc')).toEqual([258])
  expect(tokenizer.encode('abcd')).toEqual([259])
  expect(tokenizer.encode('abcdbc')).toEqual([259, 257])
  expect(tokenizer.encode('xbc')).toEqual([120, 257])
  expect(tokenizer.decode([259, 999])).toBe('abcd<｜end｜>')
})

test('a token that merges cannot produce matches only a whole piece', () => {
  const made = createTokenizer(
    writeTableFile(buildVocabulary({ ...small, tokens: [...bytes, text('ab'), text('wxyz')] })),
  )
  expect(made.encode('wxyz')).toEqual([257])
  expect(made.encode('wxyzab')).toEqual([119, 120, 121, 122, 256])
  expect(made.decode([257])).toBe('wxyz')
  expect(made.countTokens('wxyzab')).toBe(5)
})

test('ids may differ from merge priorities', () => {
  const tokens = [...bytes, text('ab')]
  const ids = tokens.map((_, token) => token + 1000)
  const tokenizer = createTokenizer(writeTableFile(buildVocabulary({ ...small, tokens, ids })))
  expect(tokenizer.encode('aba')).toEqual([1256, 1097])
  expect(tokenizer.decode([1256, 1097])).toBe('aba')
  expect(() => tokenizer.decode([97])).toThrow('has no token 97')
})

test('a vocabulary needs a token for every byte, and tokens of at most 255 bytes', () => {
  expect(() => buildVocabulary({ ...small, tokens: bytes.slice(1) })).toThrow(VocabularyError)
  const tokens = [...bytes, text('a'.repeat(256))]
  expect(() => buildVocabulary({ ...small, tokens })).toThrow('has a token of 256 bytes')
})

test('a token numbered before one of its parts is produced right after that part', () => {
  const tokens = [...bytes, text('bc'), text('abcd'), text('abc'), text('de')]
  const tokenizer = createTokenizer(writeTableFile(buildVocabulary({ ...small, tokens })))
  expect(tokenizer.encode('abcd')).toEqual([257])
  expect(tokenizer.encode('xabcdex')).toEqual([120, 257, 101, 120])
  expect(tokenizer.decode([258, 257])).toBe('abcabcd')
})

test('an invalid or truncated file is rejected', () => {
  const file = writeTableFile(buildVocabulary({ ...small, tokens: bytes }))
  expect(() => readTableFile(file.subarray(0, file.length - 3))).toThrow(TableFileError)
  expect(() => readTableFile(text('not a table file at all'))).toThrow('does not begin with FXB4')
})

test('a file that is cut off or damaged in its header is rejected as one', () => {
  const file = writeTableFile(buildVocabulary({ ...small, tokens: bytes }))
  for (const length of [0, 3, 4, 7, 8, 20]) {
    expect(() => readTableFile(file.subarray(0, length)), String(length)).toThrow(TableFileError)
  }
  const longer = file.slice()
  longer.set([255, 255, 255, 127], 4)
  expect(() => readTableFile(longer)).toThrow('is cut off or damaged')
  const garbled = file.slice()
  garbled.fill(120, 8, 30)
  expect(() => readTableFile(garbled)).toThrow('has a header that is not JSON')
  for (const packed of ['', 'FXP1', 'FXP1\n', 'FXP1{\n', 'x'.repeat(200_000)]) {
    expect(() => unpackVocabulary(text(packed)), packed.slice(0, 9)).toThrow(TableFileError)
  }
})

test('a file is read in place, or into provided memory', () => {
  const file = writeTableFile(buildVocabulary({ ...small, tokens: [...bytes, text('ab')] }))
  expect(readTableFile(file).tables.nodes.buffer).toBe(file.buffer)
  const shared = readTableFile(file, (size) => new SharedArrayBuffer(size))
  expect(shared.tables.nodes.buffer).toBeInstanceOf(SharedArrayBuffer)
  const shifted = new Uint8Array(file.length + 1).subarray(1)
  shifted.set(file)
  expect(createTokenizer(shifted).encode('abc')).toEqual([256, 99])
})
