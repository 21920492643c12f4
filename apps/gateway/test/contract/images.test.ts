import { imageResultSchema } from '@farebox/api'
import { startSandbox } from '@farebox/devnet/sandbox'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buy } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'
import { imagePath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const estimatePath = '/v1/images/estimate'
const withSteps = 'black-forest-labs/flux.1-schnell'
const premium = 'prunaai/p-image'

type Fields = Readonly<Record<string, unknown>>

const accepted: readonly Fields[] = [
  {},
  { width: null, height: null, model: null, numberResults: null, steps: null, seed: null },
  { width: 128, height: 128 },
  { width: 2048, height: 2048, numberResults: 4 },
  { model: withSteps, steps: 1 },
  { model: withSteps, steps: 100 },
  { model: premium, width: 512, height: 768 },
  { seed: 7, negativePrompt: 'rain', response_format: 'b64_json' },
]

const refused: readonly (readonly [Fields, string, string])[] = [
  [{ width: 127 }, 'INVALID_DIMENSIONS', 'width'],
  [{ width: 64 }, 'INVALID_DIMENSIONS', 'width'],
  [{ width: 2112 }, 'INVALID_DIMENSIONS', 'width'],
  [{ width: 1000 }, 'INVALID_DIMENSIONS', 'width'],
  [{ width: '1024' }, 'INVALID_DIMENSIONS', 'width'],
  [{ height: 1024.5 }, 'INVALID_DIMENSIONS', 'height'],
  [{ height: true }, 'INVALID_DIMENSIONS', 'height'],
  [{ width: 100, model: 'no/such' }, 'INVALID_DIMENSIONS', 'width'],
  [{ model: 'no/such' }, 'INVALID_MODEL', 'model'],
  [{ model: '__proto__' }, 'INVALID_MODEL', 'model'],
  [{ model: 5 }, 'INVALID_MODEL', 'model'],
  [{ model: '' }, 'INVALID_MODEL', 'model'],
  [{ numberResults: 0 }, 'INVALID_REQUEST', 'numberResults'],
  [{ numberResults: 5 }, 'INVALID_REQUEST', 'numberResults'],
  [{ numberResults: '1' }, 'INVALID_REQUEST', 'numberResults'],
  [{ model: withSteps, steps: 0 }, 'INVALID_REQUEST', 'steps'],
  [{ model: withSteps, steps: 101 }, 'INVALID_REQUEST', 'steps'],
  [{ model: premium, steps: 10 }, 'INVALID_REQUEST', 'steps'],
  [{ prompt: '' }, 'INVALID_REQUEST', 'prompt'],
  [{ prompt: 5 }, 'INVALID_REQUEST', 'prompt'],
  [{ response_format: 'file' }, 'INVALID_REQUEST', 'response_format'],
  [{ n: 2 }, 'INVALID_REQUEST', 'n'],
]

describe('a size, a model and a count', () => {
  test.each(accepted.map((fields) => [fields]))(
    'cost as estimated, twice alike: %j',
    async (body) => {
      const [one, two] = await Promise.all([
        post(gateway, estimatePath, { body }),
        post(gateway, estimatePath, { body }),
      ])
      expect(one.status).toBe(200)
      const estimate = await one.json()
      expect(await two.json()).toEqual(estimate)
      const challenge = await post(gateway, imagePath, { body: { prompt: 'x', ...body } })
      expect(challenge.status).toBe(402)
      const { quote } = await challenge.json()
      expect(quote).toMatchObject({
        model: estimate.model,
        dimensions: estimate.dimensions,
        numberOfImages: estimate.number_of_images,
        maximum: { usd: estimate.estimatedCost.usd },
      })
      expect(estimate.dimensions).toMatch(/^\d+×\d+$/)
    },
  )

  test.each(refused)(
    '%j: %s from both the estimate and the generation',
    async (fields, error, param) => {
      const estimate = await post(gateway, estimatePath, { body: fields })
      const generation = await post(gateway, imagePath, { body: { prompt: 'x', ...fields } })
      expect([estimate.status, generation.status]).toEqual([400, 400])
      const said = await estimate.json()
      expect(said).toMatchObject({ error, details: { param } })
      expect(said.message).toContain(param)
      expect(await generation.json()).toEqual(said)
    },
  )

  test('only the generation needs a prompt', async () => {
    const answer = await post(gateway, imagePath, { body: {} })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: 'INVALID_REQUEST',
      details: { param: 'prompt' },
    })
  })
})

test('every listed model is sold with its defaults and at every listed size', async () => {
  const { total, models } = await (await fetch(`${gateway.url}/v1/images/models`)).json()
  expect(total).toBe(models.length)
  expect(new Set(models.map(({ id }: { id: string }) => id)).size).toBe(total)
  const refusals: unknown[] = []
  for (const { id, pricing } of models) {
    expect(Object.values(pricing).every((price) => /^\$\d+\.\d+$/.test(String(price)))).toBe(true)
    const sizes = Object.keys(pricing).map((size) => size.split('x').map(Number))
    const bodies = [
      { model: id },
      ...sizes.map(([width, height]) => ({ model: id, width, height })),
    ]
    for (const body of bodies) {
      const answer = await post(gateway, estimatePath, { body })
      if (answer.status !== 200) refusals.push([body, await answer.json()])
    }
  }
  expect(refusals).toEqual([])
})

test.each([
  ['gpt-image-1', 'openai/gpt-image-1'],
  ['openai:GPT-Image-1', 'openai/gpt-image-1'],
  ['flux.1-schnell', withSteps],
])('images may be asked of %s, and are quoted and estimated for %s', async (model, id) => {
  for (const path of [imagePath, '/v1/images/generations']) {
    const challenge = await post(gateway, path, { body: { model, prompt: 'A fare box' } })
    expect(challenge.status).toBe(402)
    expect(await challenge.json()).toMatchObject({ quote: { model: id } })
  }
  const estimate = await post(gateway, estimatePath, { body: { model } })
  expect(await estimate.json()).toMatchObject({ model: id })
})

test('an unmodified OpenAI client gets the bytes of a GPT image, and a URL of any other', async () => {
  const openai = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: openPayingFetch(gateway, 1).fetch,
    maxRetries: 0,
  })
  const prompt = 'A fare box'
  const picture = await openai.images.generate({ model: 'gpt-image-1', prompt, quality: 'high' })
  expect(picture.data).toEqual([{ b64_json: expect.stringMatching(/^iVBOR/) }])
  const other = await openai.images.generate({ model: withSteps, prompt, n: 2, size: '512x512' })
  const url = expect.stringMatching(/^http/)
  expect(other.data).toEqual([{ url }, { url }])
  await expect(
    openai.images.generate({ model: 'gpt-image-1', prompt, size: '1536x1024' }),
  ).rejects.toMatchObject({
    param: 'size',
    message: '400 openai/gpt-image-1 does not make 1536x1024. It makes 1024x1024.',
  })
  await expect(openai.images.generate({ prompt, size: '1x1' })).rejects.toMatchObject({
    param: 'size',
    message:
      '400 size must be auto or <width>x<height>, such as 1024x1024: each side from 128 to 2048 and divisible by 64.',
  })
  await expect(
    openai.images.generate({ model: withSteps, prompt, quality: 'high' }),
  ).rejects.toMatchObject({ param: 'quality' })
})

test.each(['v1', 'v2'] as const)(
  'a paid image is a PNG of the requested size (%s)',
  async (version) => {
    const body = {
      model: withSteps,
      prompt: `a fare box, ${version}`,
      width: 192,
      height: 128,
      numberResults: 2,
      seed: 42,
    }
    const signed = await signPayment(gateway, 0, { path: imagePath, body })
    const response = await post(gateway, imagePath, { body, headers: signed[version] })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.has('payment-response')).toBe(version === 'v2')
    expect(response.headers.has('x-payment-response')).toBe(version === 'v1')
    const result = imageResultSchema.parse(await response.json())
    expect(result).toMatchObject({ dimensions: '192×128', number_of_images: 2 })
    for (const { url } of result.images) {
      const picture = Buffer.from(await (await fetch(url)).arrayBuffer())
      expect(picture.subarray(1, 4).toString()).toBe('PNG')
      expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([192, 128])
    }
    const again = await post(gateway, imagePath, { body, headers: signed[version] })
    expect(await again.json()).toEqual(result)
    expect(again.headers.get('x-payment-id')).toBe(response.headers.get('x-payment-id'))
  },
)

test('/v1/images/generations has a URL if it is asked for, and else the bytes that the provider sent', async () => {
  const provider = await startSandbox()
  const seller = await openGateway({
    OPENAI_API_KEY: 'key-1',
    OPENAI_BASE_URL: provider.imagesBaseUrl,
  })
  const imageAs = async (format?: string): Promise<unknown> => {
    const body = { model: 'gpt-image-1', prompt: 'A fare box', response_format: format }
    return await (await buy(seller, 0, { path: '/v1/images/generations', body })).json()
  }
  const created = expect.any(Number)
  const url = expect.stringMatching(/^data:image\/png;base64,iVBOR/)
  const bytes = expect.stringMatching(/^iVBOR/)
  expect(await imageAs('url')).toEqual({ created, data: [{ url }] })
  expect(await imageAs('b64_json')).toEqual({ created, data: [{ b64_json: bytes }] })
  expect(await imageAs()).toEqual({ created, data: [{ b64_json: bytes }] })
  await seller.stop()
  await provider.stop()
})
