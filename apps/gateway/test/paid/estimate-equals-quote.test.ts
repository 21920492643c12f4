import {
  type ChatEstimate,
  chatEstimateSchema,
  imageEstimateSchema,
  paymentRequiredSchema,
} from '@farebox/api'
import { type ChatModel, legalSizes, shippedCatalog } from '@farebox/catalogs'
import { formatUsd, parseUsd, parseUsdc, toUsd } from '@farebox/money'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({ MARKUP_BPS: '333' })
})
afterAll(() => gateway.stop())

const amount = z.strictObject({ usdc: z.string(), usd: z.string() })
const required = paymentRequiredSchema.extend({
  quote: z.looseObject({ maximum: amount, likely: amount, minimum: amount }),
})
const { chat, images } = shippedCatalog(Date.now())
const numRuns = proofSize({ quick: 100, all: 400 })

/** The amount that a response asks for, checked in every place that names it. */
async function asked(path: string, body: object) {
  const answer = await post(gateway, path, { body })
  expect(answer.status).toBe(402)
  const header: { accepts: [{ amount: string }] } = JSON.parse(
    Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString(),
  )
  const { accepts, quote } = required.parse(await answer.json())
  const amounts = [
    String(accepts[0]?.['maxAmountRequired']),
    header.accepts[0].amount,
    quote.maximum.usdc,
  ]
  expect(new Set(amounts).size).toBe(1)
  expect(parseUsdc(quote.maximum.usd)).toBe(BigInt(quote.maximum.usdc))
  expect(parseUsdc(quote.likely.usd)).toBe(BigInt(quote.likely.usdc))
  return { maximum: parseUsdc(quote.maximum.usd), likely: parseUsdc(quote.likely.usd) }
}

function total(explanation: NonNullable<ChatEstimate['explanation']>): bigint {
  return explanation.reduce((sum, { amount_usd }) => sum + parseUsd(String(amount_usd)), 0n)
}

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
  fc.lorem({ maxCount: 60 }),
)

function seen(model: ChatModel) {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  const words = text.map((words) => ({ type: 'text', text: words }))
  const parts = fc.tuple(words, fc.constant(picture))
  return model.inputModalities.includes('image') && model.contextLength > 120_000 ? [parts] : []
}

const chatBody = fc.constantFrom(...chat).chain((model) =>
  fc.record(
    {
      model: fc.constant(model.id),
      messages: fc.array(
        fc.record({
          role: fc.constantFrom('user' as const),
          content: fc.oneof(text, ...seen(model)),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      max_tokens: fc.integer({
        min: 1,
        max: Math.min(model.maxOutputTokens, 128_000, Math.ceil(model.contextLength / 3)),
      }),
      n: fc.integer({ min: 1, max: model.parameters.includes('n') ? 8 : 1 }),
      stream: fc.boolean(),
    },
    { requiredKeys: ['model', 'messages'] },
  ),
)

test('the estimate of any chat request is the maximum of its 402, line by line', async () => {
  let priced = 0
  await fc.assert(
    fc.asyncProperty(chatBody, async (body) => {
      const answer = await post(gateway, '/v1/estimate?explain=1', { body })
      if (answer.status !== 200) {
        const paid = await post(gateway, chatPath, { body })
        expect(paid.status).toBe(answer.status)
        expect(await paid.text()).toBe(await answer.text())
        return
      }
      priced += 1
      const estimate = chatEstimateSchema.parse(await answer.json())
      const { maximum, likely } = await asked(chatPath, body)
      expect(parseUsdc(estimate.estimatedCost.usd)).toBe(maximum)
      expect(total(estimate.explanation ?? [])).toBe(maximum * 1_000_000n)
      expect(estimate.message).toContain(`likely to cost ${formatUsd(toUsd(likely))} USD`)
      expect(likely).toBeLessThanOrEqual(maximum)
    }),
    { numRuns },
  )
  expect(priced).toBeGreaterThan(numRuns / 2)
})

const imageBody = fc.constantFrom(...images).chain(({ id, sizes, steps }) =>
  fc
    .record(
      {
        size: fc.constantFrom(...legalSizes(sizes)),
        numberResults: fc.integer({ min: 1, max: 4 }),
        ...(steps && { steps: fc.integer({ min: steps.min, max: steps.max }) }),
      },
      { requiredKeys: [] },
    )
    .map(({ size, ...rest }) => ({
      model: id,
      ...rest,
      ...(size && { width: size[0], height: size[1] }),
    })),
)

test('the estimate of any image request is the maximum of its 402, line by line', async () => {
  await fc.assert(
    fc.asyncProperty(imageBody, async (body) => {
      const answer = await post(gateway, '/v1/images/estimate?explain=1', { body })
      expect(answer.status).toBe(200)
      const estimate = imageEstimateSchema.parse(await answer.json())
      const { maximum, likely } = await asked(imagePath, { ...body, prompt: 'A fare box' })
      expect(parseUsdc(estimate.estimatedCost.usd)).toBe(maximum)
      expect(total(estimate.explanation ?? [])).toBe(maximum * 1_000_000n)
      expect(likely).toBeLessThanOrEqual(maximum)
    }),
    { numRuns },
  )
})

test.each([
  { width: 100 },
  { height: 2112 },
  { width: 64, height: 64 },
  { width: '512' },
  { model: 'nobody/nothing' },
  { model: 7 },
  { numberResults: 5 },
  { steps: 0 },
  { model: 'google/imagen-4', steps: 20 },
  { model: 'google/imagen-4', width: 512, height: 512 },
  { prompt: '' },
  { color: 'red' },
])('what an image estimate refuses, generation refuses alike: %j', async (fields) => {
  const body = { prompt: 'A fare box', ...fields }
  const estimate = await post(gateway, '/v1/images/estimate', { body })
  const sale = await post(gateway, imagePath, { body })
  expect(estimate.status).toBe(400)
  expect(sale.status).toBe(400)
  expect(await sale.json()).toEqual(await estimate.json())
})
