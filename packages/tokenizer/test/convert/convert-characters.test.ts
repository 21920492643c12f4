import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { convertHuggingFace } from '../../src/convert/convert-hugging-face.ts'
import type { HuggingFaceTokenizer } from '../../src/convert/hugging-face-tokenizer.ts'
import { buildVocabulary } from '../../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../../src/engine/table/table-file.ts'
import { createTokenCounter } from '../../src/pool/create-token-counter.ts'
import { createTokenizer } from '../../src/vocabulary/create-tokenizer.ts'
import { characterVocabulary } from '../support/character-vocabulary.ts'

const { json } = characterVocabulary()
const { model } = json
const build = (file: HuggingFaceTokenizer): Uint8Array =>
  writeTableFile(buildVocabulary(convertHuggingFace(file, 'gemma3')))

const folder = mkdtempSync(join(tmpdir(), 'farebox-gemma3-'))
const file = join(folder, 'gemma3.bin')
writeFileSync(file, build(json))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

test.each([
  ['another model', { model: { ...model, type: 'Unigram' } }, 'is a Unigram model'],
  ['another normalizer', { normalizer: { type: 'NFKC' } }, 'normalizes with NFKC'],
  ['no normalizer', { normalizer: null }, 'normalizes with nothing'],
  ['a split', { pre_tokenizer: { type: 'ByteLevel' } }, 'is split before it merges'],
  ['whole pieces', { model: { ...model, ignore_merges: true } }, 'ignores merges'],
  [
    'a missing merge',
    { model: { ...model, merges: model.merges.slice(0, -1) } },
    'does not list every merge',
  ],
  [
    'merges into one token in several places',
    { model: { ...model, merges: [...model.merges, model.merges[0] ?? ''] } },
    'in several places',
  ],
  [
    'a missing byte',
    { model: { ...model, vocab: { ...model.vocab, '<0x41>': undefined } } },
    'has no token <0x41>',
  ],
  [
    'a symbol of unknown characters',
    { added_tokens: [...json.added_tokens, { id: 5, content: '<語>' }] },
    'has no token for a part',
  ],
])('%s is rejected', (_, change, reason) => {
  const changed = { ...json, ...change } as HuggingFaceTokenizer
  expect(() => build(changed)).toThrow(reason)
})

test('a merge may be written as one string', () => {
  const merges = model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')))
  expect(build({ ...json, model: { ...model, merges } })).toEqual(build(json))
})

test('with a file Gemini is counted exactly, inline and in threads; without one it is estimated', async () => {
  const text = 'the other thesis\n\n\n中国的 été '.repeat(3000)
  const tokens = createTokenizer(build(json)).countTokens(text)
  const vocabularies = { gemma3: file }
  for (const inlineBytes of [0, 1 << 20]) {
    const counter = createTokenCounter({ inlineBytes, vocabularies, cpuMilliseconds: 600_000 })
    const counted = await counter.countText('gemini', text)
    expect(counted).toEqual({ tokens, upperBound: tokens, method: 'exact' })
    await counter.close()
  }
  const estimating = createTokenCounter()
  expect((await estimating.countText('gemini', 'the other')).method).toBe('estimate')
  await estimating.close()
})
