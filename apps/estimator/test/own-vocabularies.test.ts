import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatEstimateSchema } from '@farebox/api'
import { createLogger } from '@farebox/http/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  countedWords,
  tokensPerWord,
  writeSmallVocabularies,
} from '../../../scripts/testing/small-vocabularies.ts'
import { readConfig } from '../src/config.ts'
import { type Estimator, startEstimator } from '../src/start-estimator.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-estimator-vocabularies-'))
let withFiles: Estimator
let without: Estimator

beforeAll(async () => {
  const { llama3, gemma3 } = writeSmallVocabularies(folder)
  withFiles = await start({ TOKENIZER_VOCABULARIES: `llama3=${llama3},gemma3=${gemma3}` })
  without = await start({})
})
afterAll(async () => {
  await withFiles.stop()
  await without.stop()
  rmSync(folder, { recursive: true })
})

function start(environment: Readonly<Record<string, string>>): Promise<Estimator> {
  const read = readConfig({ PORT: '0', ...environment })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return startEstimator(read.values, createLogger('silent'))
}

async function estimate({ url }: Estimator, model: string, words: number) {
  const messages = [{ role: 'user', content: countedWords(words) }]
  const body = JSON.stringify({ model, messages })
  const response = await fetch(`${url}/v1/estimate`, { method: 'POST', body })
  return chatEstimateSchema.parse(await response.json())
}

test.each(['meta-llama/llama-3.3-70b-instruct', 'google/gemini-2.5-flash-lite'])(
  'the texts of %s are counted exactly with its file, and estimated without',
  async (model) => {
    const added = async (estimator: Estimator): Promise<number> => {
      const [few, many] = [
        await estimate(estimator, model, 10),
        await estimate(estimator, model, 90),
      ]
      return many.estimatedInputTokens - few.estimatedInputTokens
    }
    expect(await added(withFiles)).toBe(80 * tokensPerWord)
    expect(await added(without)).toBeLessThan(80 * 4)
    expect((await estimate(withFiles, model, 9)).message).toContain('texts are counted exactly')
    expect((await estimate(without, model, 9)).message).toContain('tokens are an estimate')
  },
)

test('Gemini 3.1, whose vocabulary is another one, is estimated with the file of Gemma 3 too', async () => {
  const model = 'google/gemini-3.1-flash-lite'
  const estimated = await estimate(without, model, 90)
  expect(await estimate(withFiles, model, 90)).toEqual(estimated)
  expect(estimated.message).toContain('tokens are an estimate')
})

test('a family whose vocabulary is shipped is counted the same', async () => {
  const model = 'openai/gpt-4.1-mini'
  const exact = await estimate(without, model, 50)
  expect(await estimate(withFiles, model, 50)).toEqual(exact)
  expect(exact.message).toContain('The input tokens are exact.')
})
