import { formatDecimal, picodollars, type Usd } from '@farebox/money'
import type { TokenRates } from './chat/chat-price.ts'
import { requireRates } from './chat/require-chat-price.ts'
import { type ImageSpecification, imageCost } from './image/image-cost.ts'
import type { ImagePrice } from './image/image-price.ts'
import { requireImagePrice } from './image/require-image-price.ts'
import { basisPoints, withBasisPoints } from './terms/basis-points.ts'
import { requirePrice } from './terms/quantity.ts'
import { requireObject } from './terms/require-object.ts'

/** Decimals of a price in USD per 1,000 tokens, from picodollars per token and basis points. */
const rateDecimals = 13

/** The selling rate in USD per 1,000 tokens including markup, as exact decimal text. */
export function listedRate(rate: Usd, markupBps: number): string {
  requirePrice('a rate', rate)
  return formatDecimal(withBasisPoints(rate, markupBps), rateDecimals)
}

/** The exact mean of the input and output rates in USD per 1,000 tokens, including markup. */
export function blendedRate(rates: TokenRates, markupBps: number): string {
  requireObject('rates', rates)
  requireRates(rates)
  const twice = withBasisPoints(picodollars(rates.input + rates.output), markupBps)
  return formatDecimal(twice * 5n, rateDecimals + 1)
}

/**
 * The selling price of one image in USD including markup, as decimal text with at most six decimals,
 * rounded up so that the listed price is never below the charge.
 *
 * @throws {PricingError} `invalid_quantity` for a size without a price, and for a price that is not a
 * bigint of at least 0.
 */
export function listedImagePrice(
  price: ImagePrice,
  image: ImageSpecification,
  markupBps: number,
): string {
  requireImagePrice(price)
  requireObject('image', image)
  const { numerator, denominator } = imageCost(price.rule, image)
  const micro = 1_000_000n * denominator * basisPoints
  const marked = withBasisPoints(numerator, markupBps)
  return formatDecimal((marked + micro - 1n) / micro, 6)
}
