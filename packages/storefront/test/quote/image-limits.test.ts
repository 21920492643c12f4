import { type CatalogData, type ImageRecord, shippedData } from '@farebox/catalogs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteImageEstimate, quoteImageRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const model = 'tongyi-mai/z-image-turbo'

/** The shipped data with one image model changed. */
function withFields(fields: Partial<ImageRecord>): CatalogData {
  const images = shippedData.images.map((record) =>
    record.id === model ? { ...record, ...fields } : record,
  )
  return { ...shippedData, images }
}

test('a prompt beyond what the price covers is rejected by estimate and generation', () => {
  const storefront = sellAll(counter, withFields({ maxPromptLength: 20 }))
  const fits = 'x'.repeat(20)
  expect(quoteImageEstimate({ model, prompt: fits }, storefront).status).toBe('quoted')
  expect(quoteImageRequest({ model, prompt: fits }, storefront).status).toBe('quoted')
  const rejected = quoteImageEstimate({ model, prompt: `${fits}x` }, storefront)
  expect(rejected).toMatchObject({
    status: 'rejected',
    rejection: { error: 'INVALID_REQUEST', details: { param: 'prompt' } },
  })
  expect(quoteImageRequest({ model, prompt: `${fits}x` }, storefront)).toEqual(rejected)
  expect(quoteImageEstimate({ model }, storefront).status).toBe('quoted')
})

test('if tokens are billed, the limit applies to both texts together', () => {
  const storefront = sellAll(counter)
  const billed = { model: 'openai/gpt-image-1', prompt: 'x'.repeat(2000) }
  const fits = { ...billed, negativePrompt: 'y'.repeat(1000) }
  expect(quoteImageEstimate(fits, storefront).status).toBe('quoted')
  const rejected = quoteImageEstimate({ ...billed, negativePrompt: 'y'.repeat(1001) }, storefront)
  expect(rejected).toMatchObject({
    rejection: { error: 'INVALID_REQUEST', details: { param: 'negativePrompt' } },
  })
  const unbilled = { model, prompt: 'x'.repeat(3000), negativePrompt: 'y'.repeat(3000) }
  expect(quoteImageEstimate(unbilled, storefront).status).toBe('quoted')
})

test('a field that the provider does not support is rejected by estimate and generation', () => {
  const storefront = {
    ...sellAll(counter),
    unsupportedImageField: (_: unknown, { seed }: { readonly seed?: number | undefined }) =>
      seed === undefined ? undefined : 'seed',
  }
  const body = { model, prompt: 'A fare box', seed: 7 }
  const rejected = quoteImageEstimate(body, storefront)
  expect(rejected).toMatchObject({
    rejection: { error: 'INVALID_REQUEST', details: { param: 'seed' } },
  })
  expect(quoteImageRequest(body, storefront)).toEqual(rejected)
  expect(quoteImageRequest({ ...body, seed: null }, storefront).status).toBe('quoted')
})

test.each([
  ['nothing', {}, [768, 768]],
  ['a width', { width: 512 }, [512, 768]],
  ['a height', { height: 640 }, [768, 640]],
])('a model of smaller images, with %s given', (_, named, size) => {
  const sizes = {
    kind: 'free',
    minWidth: 256,
    minHeight: 256,
    maxWidth: 768,
    maxHeight: 768,
  } as const
  const quoted = quoteImageEstimate({ model, ...named }, sellAll(counter, withFields({ sizes })))
  expect(quoted).toMatchObject({ status: 'quoted', sale: { width: size[0], height: size[1] } })
})

test('a given side that the model does not make is rejected, not changed', () => {
  const sizes = { kind: 'listed', sizes: [[2048, 2048]] } as const
  const storefront = sellAll(counter, withFields({ sizes }))
  expect(quoteImageEstimate({ model, width: 2048 }, storefront)).toMatchObject({
    sale: { width: 2048, height: 2048 },
  })
  expect(quoteImageEstimate({ model, width: 1024 }, storefront)).toMatchObject({
    rejection: { error: 'INVALID_DIMENSIONS' },
  })
})

test('an ambiguous name is rejected with the image models that it may mean', () => {
  const [first] = shippedData.images
  if (first === undefined) throw new Error('the catalog is empty')
  const images = ['maker-a/twin', 'maker-b/twin'].map((id) => ({ ...first, id }))
  const data = { ...shippedData, images: [...shippedData.images, ...images] }
  expect(quoteImageEstimate({ model: 'twin' }, sellAll(counter, data))).toEqual({
    status: 'rejected',
    rejection: {
      error: 'INVALID_MODEL',
      details: { param: 'model' },
      message: 'The model "twin" may be any of maker-a/twin, maker-b/twin. Use one of these ids.',
    },
  })
})

test('an image quote is for all images, at the default steps of the model if none are asked for', () => {
  const storefront = sellAll(counter)
  const maximumOf = (fields: object): number => {
    const quoted = quoteImageEstimate({ model, ...fields }, storefront)
    if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
    return Number(quoted.sale.quotes[0].maximum)
  }
  const steps = shippedData.images.find(({ id }) => id === model)?.steps?.default ?? 0
  expect(quoteImageEstimate({ model }, storefront)).toMatchObject({ sale: { steps } })
  const one = maximumOf({ numberResults: 2, steps })
  expect(maximumOf({ numberResults: 2 })).toBe(one)
  expect(maximumOf({ numberResults: 2, steps: steps + 4 })).toBeGreaterThan(one)
  expect(Math.abs(maximumOf({ numberResults: 4 }) - 2 * one)).toBeLessThanOrEqual(1)
})
