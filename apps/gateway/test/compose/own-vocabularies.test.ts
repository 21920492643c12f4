import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatEstimateSchema, paymentRequiredSchema } from '@farebox/api'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { parseUsdc } from '@farebox/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  countedWords,
  tokensPerWord,
  writeSmallVocabularies,
} from '../../../../scripts/testing/small-vocabularies.ts'
import { readConfig } from '../../src/config.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

const llama = 'meta-llama/llama-3.3-70b-instruct'
const gemini = 'google/gemini-2.5-flash-lite'

const folder = mkdtempSync(join(tmpdir(), 'farebox-vocabularies-'))
let devnet: Devnet
/** Two replicas over one ledger, as they must not be: only one has the files. */
let withFiles: TestGateway
let without: TestGateway

beforeAll(async () => {
  const { llama3, gemma3 } = writeSmallVocabularies(folder)
  devnet = await startDevnet()
  const shared = {
    DATABASE_URL: `sqlite:${join(folder, 'ledger.sqlite')}`,
    MIN_CHARGE_USDC: '0.000001',
  }
  const own = { TOKENIZER_VOCABULARIES: `llama3=${llama3},gemma3=${gemma3}` }
  withFiles = await openGatewayOn(devnet, { ...shared, ...own })
  without = await openGatewayOn(devnet, shared)
})
afterAll(async () => {
  await withFiles.stop()
  await without.stop()
  await devnet.stop()
  rmSync(folder, { recursive: true })
})

function chat(model: string, words: number) {
  return { model, messages: [{ role: 'user', content: countedWords(words) }], max_tokens: 1000 }
}

async function estimate(gateway: TestGateway, body: object) {
  return chatEstimateSchema.parse(await (await post(gateway, '/v1/estimate', { body })).json())
}

async function quoted(answer: Response): Promise<bigint> {
  expect(answer.status).toBe(402)
  const { accepts } = paymentRequiredSchema.parse(await answer.json())
  return BigInt(String(accepts[0]?.['maxAmountRequired']))
}

test.each([llama, gemini])(
  'the texts of %s are counted exactly with its file, and priced so; else estimated',
  async (model) => {
    // Threads have a time limit, which a busy machine may reach; these are counted without one.
    const [few, many] = [chat(model, 1000), chat(model, 5000)]
    const added = async (gateway: TestGateway): Promise<number> =>
      (await estimate(gateway, many)).estimatedInputTokens -
      (await estimate(gateway, few)).estimatedInputTokens
    expect(await added(withFiles)).toBe(4000 * tokensPerWord)
    expect(await added(without)).toBeLessThan(4000 * 4)

    for (const gateway of [withFiles, without]) {
      const { estimatedCost } = await estimate(gateway, many)
      const price = await quoted(await post(gateway, chatPath, { body: many }))
      expect(parseUsdc(estimatedCost.usd)).toBe(price)
    }
    expect((await estimate(withFiles, few)).message).toContain('texts are counted exactly')
    expect((await estimate(without, few)).message).toContain('tokens are an estimate')
  },
)

test('files that cannot be used are refused with everything else that is wrong', () => {
  const TOKENIZER_VOCABULARIES = `gemma3=${join(folder, 'llama3.bin')}`
  const read = readConfig({ TOKENIZER_VOCABULARIES, TOKENIZER_FACTORS: folder, PORT: 'x' })
  const problems = read.status === 'invalid' ? read.problems : []
  expect(problems).toHaveLength(3)
  expect(problems.join('\n')).toMatch(/TOKENIZER_VOCABULARIES: .+ contains llama3, not gemma3/)
  expect(problems.join('\n')).toMatch(/TOKENIZER_FACTORS: .+ cannot be read/)
})

test('a payment for the 402 of a process with other files gets a new 402, and no money moves', async () => {
  const body = chat(llama, 2000)
  const signed = await signPayment(without, 0, { body })
  const before = await without.balance(withFiles.account(0).address)

  for (const headers of [signed.v2, signed.v1]) {
    const refused = await post(withFiles, chatPath, { body, headers })
    expect(refused.headers.get('x-payment-id')).toBeNull()
    expect(await quoted(refused)).not.toBe(signed.quoted)
  }
  expect(await without.balance(withFiles.account(0).address)).toBe(before)

  const served = await post(without, chatPath, { body, headers: signed.v2 })
  expect(served.status).toBe(200)
  await served.text()
  const record = await withFiles.record(served.headers.get('x-payment-id') ?? '')
  expect(record.paid.usdc).toBe(signed.quoted.toString())
  const again = await post(withFiles, chatPath, { body, headers: signed.v2 })
  expect(again.status).toBe(200)
  expect(again.headers.get('x-payment-id')).toBe(served.headers.get('x-payment-id'))

  const requoted = await signPayment(withFiles, 0, { body })
  expect(requoted.quoted).not.toBe(signed.quoted)
  expect((await post(withFiles, chatPath, { body, headers: requoted.v2 })).status).toBe(200)
})
