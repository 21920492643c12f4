import { allowsSize, legalSizes, shippedCatalog } from '@farebox/catalogs'
import { parseUsd } from '@farebox/money'
import { priceImages } from '@farebox/pricing'
import { counterNames } from '@farebox/tokenizer'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, describe, expect, test } from 'vitest'
import { quoteImageEstimate, quoteImageRequest } from '../../src/index.ts'
import { now, sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())
const storefront = sellAll(counter)
const { chat, images } = shippedCatalog(now)

test.each(chat)('$id has a token counter', (model) => {
  expect(counterNames).toContain(model.counter)
})

describe.each(images)('$id', ({ id, sizes }) => {
  test('the default size is one that the model makes, 1024 × 1024 if it is', () => {
    const quoted = quoteImageEstimate({ model: id }, storefront)
    expect(quoted.status).toBe('quoted')
    if (quoted.status !== 'quoted') return
    const { width, height } = quoted.sale
    expect(allowsSize(sizes, width, height)).toBe(true)
    if (allowsSize(sizes, 1024, 1024)) expect([width, height]).toEqual([1024, 1024])
  })

  test('a missing side completes the other to a size that the model makes', () => {
    const [wanted] = legalSizes(sizes).toReversed()
    const [width = 0] = wanted ?? []
    const quoted = quoteImageEstimate({ model: id, width }, storefront)
    expect(quoted.status).toBe('quoted')
    if (quoted.status !== 'quoted') return
    expect(quoted.sale.width).toBe(width)
    expect(allowsSize(sizes, width, quoted.sale.height)).toBe(true)
  })

  test('estimate and generation accept, reject and price every size alike', () => {
    const edges = Array.from({ length: 34 }, (_, index) => index * 64)
    const verdicts = edges.flatMap((width) =>
      edges.map((height) => {
        const body = { model: id, width, height }
        const estimate = quoteImageEstimate(body, storefront)
        const sale = quoteImageRequest({ ...body, prompt: 'A fare box' }, storefront)
        const isLegal = allowsSize(sizes, width, height)
        return (
          estimate.status === (isLegal ? 'quoted' : 'rejected') &&
          (estimate.status === 'quoted'
            ? sale.status === 'quoted' &&
              sale.sale.quotes[0].maximum === estimate.sale.quotes[0].maximum
            : estimate.rejection.error === 'INVALID_DIMENSIONS' &&
              sale.status === 'rejected' &&
              JSON.stringify(sale.rejection) === JSON.stringify(estimate.rejection))
        )
      }),
    )
    expect(verdicts.filter(Boolean)).toHaveLength(34 * 34)
  })

  test('no size costs more than its estimate, whatever the provider bills', () => {
    const excessive = parseUsd('1000')
    for (const [width, height] of legalSizes(sizes)) {
      const quoted = quoteImageEstimate({ model: id, width, height, numberResults: 2 }, storefront)
      if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
      const [quote] = quoted.sale.quotes
      const most = priceImages(quote, { images: 2, reportedCost: excessive })
      const own = priceImages(quote, { images: 2 })
      const one = priceImages(quote, { images: 1, reportedCost: excessive })
      expect([width, height, most]).toEqual([width, height, quote.maximum])
      expect(own <= quote.maximum && one * 2n <= quote.maximum).toBe(true)
    }
  })
})

test.each(['unknown/model', 'constructor', '', 'x'.repeat(300)])(
  'estimate and generation reject an unknown image model alike: %s',
  (model) => {
    const estimate = quoteImageEstimate({ model }, storefront)
    const sale = quoteImageRequest({ model, prompt: 'A fare box' }, storefront)
    expect(estimate).toMatchObject({ status: 'rejected', rejection: { error: 'INVALID_MODEL' } })
    expect(sale).toEqual(estimate)
  },
)
