import { greatest, picodollars, toUsdcCeil, type Usdc } from '@farebox/money'
import { basisPoints, withBasisPoints } from '../terms/basis-points.ts'
import { quantity } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import type { Terms } from '../terms/terms.ts'
import { termsOf } from '../terms/terms-of.ts'
import { imageCost, requireImagePrice, type UsdFraction } from './image-cost.ts'
import type { ImagePrice, ImagePriceRule, ImageQuote } from './image-price.ts'

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
 * @throws {PricingError} `invalid_quantity` for a size without a price, and for a size, steps or
 * number of images that is not a non-negative safe integer.
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
  return {
    kind: 'image',
    ...request,
    terms,
    maximum: quotedImages(worstImageCost(price, likely), terms, numberOfImages),
    likely: chargedImages(likely, terms, numberOfImages),
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

function quotedImages(cost: UsdFraction, terms: Terms, images: number): Usdc {
  const total = picodollars(cost.numerator * quantity('number of images', images))
  const marked = withBasisPoints(withBasisPoints(total, terms.markupBps), terms.bufferBps)
  const rounded = toUsdcCeil(marked, cost.denominator * basisPoints * basisPoints)
  return greatest(terms.minimumCharge, rounded)
}

/** The charge for a number of images: with markup, without allowance and buffer. */
export function chargedImages(cost: UsdFraction, terms: Terms, images: number): Usdc {
  const total = picodollars(cost.numerator * quantity('number of images', images))
  const marked = withBasisPoints(total, terms.markupBps)
  return greatest(terms.minimumCharge, toUsdcCeil(marked, cost.denominator * basisPoints))
}
