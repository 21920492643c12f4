import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatModelListSchema, imageModelListSchema } from '@farebox/api'
import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

const examples = join(import.meta.dirname, '../../../../examples')
const files = {
  CATALOG_OVERRIDES: join(examples, 'catalog-overrides.json'),
  CUSTOM_PROVIDER_MODELS: join(examples, 'custom-models.json'),
}

/** A server of the operator's own: anything that speaks OpenAI's wire. */
let own: Sandbox
let gateway: TestGateway
beforeAll(async () => {
  own = await startSandbox()
  gateway = await openGateway({
    ...files,
    CUSTOM_PROVIDER_BASE_URL: own.chatBaseUrl,
    OPENAI_API_KEY: 'of-no-use',
    OPENAI_BASE_URL: own.chatBaseUrl,
    SANDBOX_PROVIDER: 'on',
    MIN_CHARGE_USDC: '0.000001',
  })
})
afterAll(async () => {
  await gateway.stop()
  await own.stop()
})

async function listed<List>(path: string, schema: { parse(json: unknown): List }): Promise<List> {
  return schema.parse(await (await fetch(gateway.url + path)).json())
}

test('the example of overrides adds, changes and hides models', async () => {
  const { models } = await listed('/v1/models', chatModelListSchema)
  const found = (id: string) => models.find((model) => model.id === id)
  expect(found('acme/fast-one')).toMatchObject({
    name: 'Acme Fast One',
    pricing: { input_per_1k_tokens: 0.0005, output_per_1k_tokens: 0.002 },
  })
  expect(found('openai/gpt-4.1-mini')?.pricing.output_per_1k_tokens).toBe(0.00176)
  expect(found('openai/gpt-4o')).toMatchObject({
    name: 'GPT-4o (classic)',
    pricing: { input_per_1k_tokens: 0.002875 },
  })
  expect(found('openai/gpt-4-turbo')).toBeUndefined()
  const hidden = { model: 'openai/gpt-4-turbo', messages: [{ role: 'user', content: 'Hello' }] }
  expect((await post(gateway, chatPath, { body: hidden })).status).toBe(400)

  const images = await listed('/v1/images/models', imageModelListSchema)
  const imagen = images.models.find(({ id }) => id === 'google/imagen-4')
  expect(imagen?.pricing).toEqual({ '1024x1024': '$0.05' })
  expect(images.models.some(({ id }) => id === 'openai/gpt-image-1')).toBe(false)
})

test('a changed prompt limit holds for estimate and generation alike', async () => {
  const body = { model: 'google/imagen-4', prompt: 'x'.repeat(481) }
  for (const path of ['/v1/images/estimate', imagePath]) {
    const answer = await post(gateway, path, { body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'INVALID_REQUEST',
      details: { param: 'prompt' },
    })
  }
})

test.each([
  ['seed', 7],
  ['negativePrompt', 'rust'],
])('an image field that its provider would drop is refused: %s', async (field, value) => {
  const body = { model: 'openai/gpt-image-1.5', prompt: 'A fare box', [field]: value }
  for (const path of ['/v1/images/estimate', imagePath]) {
    const answer = await post(gateway, path, { body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'INVALID_REQUEST',
      details: { param: field },
    })
  }
})

test.each([
  ['local/llama-3.3-70b', 'llama3.3:70b', 10n, 20n],
  ['local/qwen3-8b', 'local/qwen3-8b', 2n, 6n],
])(
  'the example of a custom provider serves %s at its price',
  async (model, upstream, input, output) => {
    const body = { model, messages: [{ role: 'user', content: 'Who runs you?' }], max_tokens: 4000 }
    const { v2, quoted } = await signPayment(gateway, 0, { body })
    const response = await post(gateway, chatPath, { body, headers: v2 })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ object: 'chat.completion', model })
    expect(own.requests.at(-1)?.body).toMatchObject({ model: upstream, max_tokens: 4000 })

    const { paid, cost, usage } = await gateway.record(response.headers.get('x-payment-id') ?? '')
    const tokens = (name: string) => BigInt(Number(usage?.[name]))
    const hundredths = tokens('inputTokens') * input + tokens('outputTokens') * output
    expect(paid.usdc).toBe(quoted.toString())
    expect(cost?.usdc).toBe(((hundredths + 99n) / 100n).toString())
  },
)

test('mistakes in the files are all named before anything starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-files-'))
  const path = join(folder, 'models.json')
  const model = { id: 'local/x', contextLength: 8192, maxOutputTokens: 1024 }
  const price = { input: '0.1', output: '0.2' }
  await writeFile(path, JSON.stringify({ models: [{ ...model, price, counter: 'lama3' }] }))
  const misspelled = readConfig({ ...files, CUSTOM_PROVIDER_MODELS: path })
  expect(misspelled).toMatchObject({ status: 'invalid' })
  expect(JSON.stringify(misspelled)).toContain('lama3')
  await writeFile(path, JSON.stringify({ models: [{ ...model, price: { input: '-1' } }] }))
  expect(JSON.stringify(readConfig({ CUSTOM_PROVIDER_MODELS: path }))).toContain('price')
  await rm(folder, { recursive: true })
})
