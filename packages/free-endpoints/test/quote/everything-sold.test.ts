import { allowsSize, legalSizes, shippedCatalog } from '@farebox/catalogs'
import { parseUsd } from '@farebox/money'
import { priceImages } from '@farebox/pricing'
import { counterNames } from '@farebox/tokenizer'
import { createTokenCounter } from '@farebox/tokenizer/node'
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { quoteImageEstimate, quoteImageRequest } from '../../src/index.ts'
import { now, sellAll, serve } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())
const storefront = sellAll(counter)
const app = serve(storefront)
const { chat, images } = shippedCatalog(now)

test.each(chat)('$id has a token counter', (model) => {
  expect(counterNames).toContain(model.counter)
})

test('every chat model that is listed can be estimated with the defaults', async () => {
  const { body: list } = await request(app).get('/v1/models')
  expect(list.total).toBe(chat.length)
  for (const { id } of list.models) {
    const { status, body } = await request(app)
      .post('/v1/estimate')
      .send({ model: id, messages: [{ role: 'user', content: 'Hello' }] })
    expect([id, status]).toEqual([id, 200])
    expect(body).toMatchObject({ model: id })
  }
})

test('every image model that is listed can be estimated with the defaults', async () => {
  const { body: list } = await request(app).get('/v1/images/models')
  expect(list.total).toBe(images.length)
  for (const { id } of list.models) {
    const { status, body } = await request(app).post('/v1/images/estimate').send({ model: id })
    expect([id, status]).toEqual([id, 200])
    expect(body).toMatchObject({ model: id, number_of_images: 1 })
  }
})

describe.each(images)('$id', ({ id, sizes }) => {
  test('makes the default size: 1024 where it can, else its own nearest', () => {
    const quoted = quoteImageEstimate({ model: id }, storefront)
    expect(quoted.status).toBe('quoted')
    if (quoted.status !== 'quoted') return
    const { width, height } = quoted.sale
    expect(allowsSize(sizes, width, height)).toBe(true)
    if (allowsSize(sizes, 1024, 1024)) expect([width, height]).toEqual([1024, 1024])
  })

  test('one side names the other where only one size has it', () => {
    const [wanted] = legalSizes(sizes).toReversed()
    const [width = 0] = wanted ?? []
    const quoted = quoteImageEstimate({ model: id, width }, storefront)
    expect(quoted.status).toBe('quoted')
    if (quoted.status !== 'quoted') return
    expect(quoted.sale.width).toBe(width)
    expect(allowsSize(sizes, width, quoted.sale.height)).toBe(true)
  })

  test('every size, legal or not, is judged and priced alike by estimate and generation', () => {
    const edges = Array.from({ length: 34 }, (_, index) => index * 64)
    const verdicts = edges.flatMap((width) =>
      edges.map((height) => {
        const body = { model: id, width, height }
        const estimate = quoteImageEstimate(body, storefront)
        const sale = quoteImageRequest({ ...body, prompt: 'A fare box' }, storefront)
        const isLegal = allowsSize(sizes, width, height)
        return (
          estimate.status === (isLegal ? 'quoted' : 'refused') &&
          (estimate.status === 'quoted'
            ? sale.status === 'quoted' &&
              sale.sale.quotes[0].maximum === estimate.sale.quotes[0].maximum
            : estimate.refusal.error === 'INVALID_DIMENSIONS' &&
              sale.status === 'refused' &&
              JSON.stringify(sale.refusal) === JSON.stringify(estimate.refusal))
        )
      }),
    )
    expect(verdicts.filter(Boolean)).toHaveLength(34 * 34)
  })

  test('no size is charged beyond its estimate, whatever the provider bills', () => {
    const excessive = parseUsd('1000')
    for (const [width, height] of legalSizes(sizes)) {
      const quoted = quoteImageEstimate({ model: id, width, height, numberResults: 2 }, storefront)
      if (quoted.status !== 'quoted') throw new Error(quoted.refusal.message)
      const [quote] = quoted.sale.quotes
      const most = priceImages(quote, { images: 2, reportedCost: excessive })
      const own = priceImages(quote, { images: 2 })
      const one = priceImages(quote, { images: 1, reportedCost: excessive })
      expect([width, height, most]).toEqual([width, height, quote.maximum])
      expect(own <= quote.maximum && one * 2n <= quote.maximum).toBe(true)
    }
  })
})

test.each(['nobody/nothing', 'constructor', '', 'x'.repeat(300)])(
  'an unknown image model is refused alike: %s',
  (model) => {
    const estimate = quoteImageEstimate({ model }, storefront)
    const sale = quoteImageRequest({ model, prompt: 'A fare box' }, storefront)
    expect(estimate).toMatchObject({ status: 'refused', refusal: { error: 'INVALID_MODEL' } })
    expect(sale).toEqual(estimate)
  },
)
