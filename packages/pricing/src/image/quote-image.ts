import { picodollars } from '@farebox/money'
import { basisPoints } from '../terms/basis-points.ts'
import { quantity } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import { chargedPrice, quotedPrice } from '../terms/selling-price.ts'
import type { Terms } from '../terms/terms.ts'
import { termsOf } from '../terms/terms-of.ts'
import { times, type UsdFraction } from '../terms/usd-fraction.ts'
import { imageCost } from './image-cost.ts'
import type { ImagePrice, ImagePriceRule, ImageQuote } from './image-price.ts'
import { requireImagePrice } from './require-image-price.ts'

/** An image request to quote: its size in pixels, the price of its model, and the terms of sale. */
export type ImageQuoteRequest = {
  readonly model: string
  readonly price: ImagePrice
  readonly terms: Terms
  readonly width: number
  readonly height: number
  readonly numberOfImages: number
  readonly steps?: number
}

/**
 * The maximum cost of an image request: the price of one image of this size and steps, the
 * allowance of its rule and the provider's extra charges, times the number of images, plus markup and buffer,
 * rounded up once, and at least the minimum charge.
 *
 * @throws {PricingError} `invalid_quantity` for a size without a price, for a size, steps or number
 * of images that is not a non-negative safe integer, and for a price that is not a bigint of at least 0.
 */
export function quoteImage(request: ImageQuoteRequest): ImageQuote {
  requireObject('request', request)
  const { price, numberOfImages } = request
  requireImagePrice(price)
  const terms = termsOf(price, request.terms)
  quantity('width', request.width)
  quantity('height', request.height)
  if (request.steps !== undefined) quantity('steps', request.steps)
  const likely = imageCost(price.rule, request)
  const count = quantity('number of images', numberOfImages)
  return {
    kind: 'image',
    ...request,
    terms,
    maximum: quotedPrice(times(worstImageCost(price, likely), count), terms),
    likely: chargedPrice(times(likely, count), terms),
  }
}

/** The most a provider can bill for one image, before markup and buffer. */
export function worstImageCost(price: ImagePrice, likely: UsdFraction): UsdFraction {
  const { rule, besidesPerImage = 0n } = price
  const { numerator, denominator } = allowedImageCost(rule, likely)
  return { numerator: picodollars(numerator + besidesPerImage * denominator), denominator }
}

/** The price of one image, and the allowance for a compute time that is known only afterwards. */
export function allowedImageCost(rule: ImagePriceRule, likely: UsdFraction): UsdFraction {
  const factor = rule.kind === 'compute' ? quantity('marginBps', rule.marginBps) : basisPoints
  return {
    numerator: picodollars(likely.numerator * factor),
    denominator: likely.denominator * basisPoints,
  }
}
