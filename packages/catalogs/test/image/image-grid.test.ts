import { atomicUsdc } from '@farebox/money'
import { quoteImage, type Terms } from '@farebox/pricing'
import { expect, test } from 'vitest'
import {
  allowsSize,
  describeSizes,
  type ImageModel,
  type ImageSizes,
  legalSizes,
  shippedCatalog,
} from '../../src/index.ts'

const { images } = shippedCatalog(Date.parse('2026-11-20'))
const terms: Terms = { bufferBps: 1_000, markupBps: 0, minimumCharge: atomicUsdc(1_000n) }

function maximum(model: ImageModel, width: number, height: number): bigint {
  const { id, price, steps } = model
  const request = { model: id, price, terms, width, height, numberOfImages: 1 }
  return quoteImage({ ...request, ...(steps && { steps: steps.default }) }).maximum
}

test.each(images)(
  '$id: every legal size has one price, which never falls as the image grows',
  (model) => {
    const sizes = legalSizes(model.sizes)
    expect(sizes.length).toBeGreaterThan(0)
    const prices = new Map(
      sizes.map(([width, height]) => [`${width}x${height}`, maximum(model, width, height)]),
    )
    for (const [width, height] of sizes) {
      const price = prices.get(`${width}x${height}`) ?? 0n
      expect(price > 0n).toBe(true)
      expect(maximum(model, width, height)).toBe(price)
      const greater = sizes.filter(
        ([w, h]) => w >= width && h >= height && w + h <= width + height + 64,
      )
      for (const [w, h] of greater) expect((prices.get(`${w}x${h}`) ?? 0n) >= price).toBe(true)
    }
  },
)

test.each(images)('$id: the price rises with the number of images and the steps', (model) => {
  const [size] = legalSizes(model.sizes)
  const [width, height] = size ?? [0, 0]
  const { id, price, steps } = model
  const request = { model: id, price, terms, width, height }
  const byCount = [1, 2, 3, 4].map(
    (numberOfImages) => quoteImage({ ...request, numberOfImages }).maximum,
  )
  expect(byCount).toEqual(byCount.toSorted((a, b) => Number(a - b)))
  if (!steps) return
  const bySteps = Array.from(
    { length: steps.max },
    (_, index) => quoteImage({ ...request, numberOfImages: 1, steps: index + 1 }).maximum,
  )
  expect(bySteps).toEqual(bySteps.toSorted((a, b) => Number(a - b)))
})

const free: ImageSizes = { kind: 'free', minWidth: 128, minHeight: 128 }
const listed: ImageSizes = {
  kind: 'listed',
  sizes: [
    [1024, 1024],
    [1344, 768],
  ],
}

test.each([
  [free, 128, 128, true],
  [free, 2048, 2048, true],
  [free, 64, 128, false],
  [free, 2112, 2048, false],
  [free, 1000, 1024, false],
  [free, 1024.5, 1024, false],
  [free, Number.NaN, 1024, false],
  [listed, 1024, 1024, true],
  [listed, 1344, 768, true],
  [listed, 768, 1344, false],
  [{ ...free, maxWidth: 1408, maxHeight: 1408 }, 1408, 1472, false],
  [{ ...free, minWidth: 512, minHeight: 512 }, 448, 512, false],
] satisfies readonly (readonly [ImageSizes, number, number, boolean])[])(
  'size %#',
  (...[sizes, width, height, expected]) => {
    expect(allowsSize(sizes, width, height)).toBe(expected)
  },
)

test('a model without a size list supports the whole grid', () => {
  expect(legalSizes(free)).toHaveLength(31 * 31)
  expect(legalSizes(listed)).toEqual([
    [1024, 1024],
    [1344, 768],
  ])
  expect(describeSizes(listed)).toBe('1024x1024, 1344x768')
  expect(describeSizes(free)).toBe('128x128 to 2048x2048 in multiples of 64')
})
