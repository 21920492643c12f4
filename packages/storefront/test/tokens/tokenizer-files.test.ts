import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '@farebox/settings'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import {
  countedWords,
  tokensPerWord,
  writeSmallVocabularies,
} from '../../../../scripts/testing/small-vocabularies.ts'
import { openTokenCounter, TokenizerSettingsError } from '../../src/index.ts'
import { storefrontSettings, tokenizerProblems } from '../../src/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-tokenizer-'))
const { llama3, gemma3 } = writeSmallVocabularies(folder)
afterAll(() => {
  rmSync(folder, { recursive: true })
})

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function read(environment: Readonly<Record<string, string>>) {
  return readSettings(storefrontSettings, environment, tokenizerProblems)
}

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const found = read(environment)
  return found.status === 'invalid' ? found.problems : []
}

const table = readFileSync(llama3)
const older = Buffer.from(table)
older.write('FXB3')
const garbled = Buffer.from(table)
garbled.fill('{', 8, 40)
const endless = Buffer.from(table)
endless.writeUInt32LE(0xffff_fff0, 4)

test.each([
  ['a missing pair', llama3, 'use NAME=FILE'],
  ['a missing path', 'llama3=', 'use NAME=FILE'],
  ['a trailing comma', `llama3=${llama3},`, 'use NAME=FILE'],
  ['a shipped vocabulary', `qwen=${llama3}`, 'names "qwen", which is shipped'],
  [
    'an unknown one',
    `lama3=${llama3}`,
    'names "lama3", which is not a vocabulary: files are accepted for',
  ],
  ['a repeated vocabulary', `llama3=${llama3},llama3=${llama3}`, 'names llama3 twice'],
  [
    'a missing file',
    `llama3=${folder}/none.bin`,
    'none.bin cannot be read. Create it with: farebox',
  ],
  ['a folder', `llama3=${folder}`, 'cannot be read'],
  [
    'another vocabulary',
    `gemma3=${llama3}`,
    'contains llama3, not gemma3. Create one with: farebox-tokenizer convert gemma3 tokenizer.json gemma3.bin',
  ],
  ['a source', `llama3=${llama3.replace('.bin', '.source')}`, 'does not begin with FXB'],
  ['an empty file', `llama3=${file('empty', '')}`, 'is not a valid vocabulary of this version'],
  [
    'another version',
    `llama3=${file('older', older)}`,
    'Rebuild it with: farebox-tokenizer convert',
  ],
  ['a truncated file', `llama3=${file('cut', table.subarray(0, -9))}`, 'bytes instead of'],
  [
    'a garbled head',
    `llama3=${file('garbled', garbled)}`,
    'is not a valid vocabulary of this version',
  ],
  [
    'an endless head',
    `llama3=${file('endless', endless)}`,
    'is not a valid vocabulary of this version',
  ],
])('TOKENIZER_VOCABULARIES with %s is rejected with the fix', (_, text, message) => {
  const problems = problemsOf({ TOKENIZER_VOCABULARIES: text })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/^TOKENIZER_VOCABULARIES[: ]/)
  expect(problems[0]).toContain(message)
})

const factors = { latin: 3, digit: 3, symbol: 3, cjk: 3, other: 3 }

test.each([
  ['a missing file', join(folder, 'none.json'), 'cannot be read'],
  ['invalid JSON', llama3, 'is not valid JSON'],
  ['a list', file('list.json', '[]'), 'must be an object'],
  [
    'an unknown counter',
    file('name.json', JSON.stringify({ clade: factors })),
    'clade: is not a counter',
  ],
  ['an exact counter', file('exact.json', JSON.stringify({ qwen: factors })), 'qwen: counts with'],
  ['a class left out', file('few.json', '{"claude":{"latin":1}}'), 'claude.cjk: must be a number'],
])('TOKENIZER_FACTORS with %s is rejected', (_, path, message) => {
  const problems = problemsOf({ TOKENIZER_FACTORS: path })
  expect(problems[0]).toMatch(/^TOKENIZER_FACTORS: /)
  expect(problems.join(' ')).toContain(message)
})

test('a byte order mark before the JSON of a file is left out', () => {
  const marked = file(
    'marked.json',
    `\uFEFF${JSON.stringify({ claude: { ...factors, other: 'x' } })}`,
  )
  expect(problemsOf({ TOKENIZER_FACTORS: marked })).toEqual([
    expect.stringContaining('claude.other: must be a number'),
  ])
})

test('the problems of both are reported at once', () => {
  const names = problemsOf({
    TOKENIZER_VOCABULARIES: `llama3=${gemma3},gemma3=${llama3}`,
    TOKENIZER_FACTORS: llama3,
    MARKUP_BPS: '-1',
  }).map((text) => text.split(/[: ]/)[0])
  expect(names.toSorted()).toEqual([
    'MARKUP_BPS',
    'TOKENIZER_FACTORS',
    'TOKENIZER_VOCABULARIES',
    'TOKENIZER_VOCABULARIES',
  ])
})

test('vocabularies are loaded before the first count, which is exact', async () => {
  const own = writeSmallVocabularies(join(folder, 'own'))
  const settings = read({
    TOKENIZER_VOCABULARIES: ` llama3 = ${own.llama3} , gemma3=${own.gemma3}`,
  })
  if (settings.status === 'invalid') throw new Error(settings.problems.join(' '))
  const counter = await openTokenCounter(settings.values)
  rmSync(join(folder, 'own'), { recursive: true })
  // The longer text is counted by a thread.
  for (const words of [7, 20_000]) {
    const tokens = words * tokensPerWord
    for (const name of ['llama3', 'gemini'] as const) {
      const counted = await counter.countText(name, countedWords(words))
      expect(counted).toEqual({ tokens, upperBound: tokens, method: 'exact' })
    }
  }
  await counter.close()
  await expect(openTokenCounter(settings.values)).rejects.toThrow(TokenizerSettingsError)
})

test('calibrated factors replace the shipped ones, and raise the bound only where it is a margin', async () => {
  const path = file('factors.json', JSON.stringify({ generic: factors, claude: factors }))
  const own = await openTokenCounter({ TOKENIZER_FACTORS: path })
  const shipped = createTokenCounter()
  const text = 'A fare is a price for a ride. '.repeat(9)
  const base = await shipped.countText('openai-o200k', text)
  expect(await own.countText('generic', text)).toEqual({
    ...(await shipped.countText('generic', text)),
    tokens: base.tokens * 3,
  })
  const claude = await shipped.countText('claude', text)
  expect((await own.countText('claude', text)).upperBound).toBeGreaterThan(claude.upperBound)
  expect(await own.countText('gemini', text)).toEqual(await shipped.countText('gemini', text))
  await own.close()
  await shipped.close()
})
