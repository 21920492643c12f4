import { formatDecimal, picodollars, type Usd } from '@farebox/money'
import type { TokenRates } from './chat/chat-price.ts'
import { type ImageSpecification, imageCost } from './image/image-cost.ts'
import type { ImagePrice } from './image/image-price.ts'
import { basisPoints, withBasisPoints } from './terms/basis-points.ts'

/** Decimals of a price in USD per 1,000 tokens, from picodollars per token and basis points. */
const rateDecimals = 13

/** The selling rate in USD per 1,000 tokens including markup, as exact decimal text. */
export function listedRate(rate: Usd, markupBps: number): string {
  return formatDecimal(withBasisPoints(rate, markupBps), rateDecimals)
}

/** The exact mean of the input and output rates in USD per 1,000 tokens, including markup. */
export function blendedRate({ input, output }: TokenRates, markupBps: number): string {
  const twice = withBasisPoints(picodollars(input + output), markupBps)
  return formatDecimal(twice * 5n, rateDecimals + 1)
}

/**
 * The selling price of one image in USD including markup, as decimal text with at most six decimals,
 * rounded up so that the listed price is never below the charge.
 *
 * @throws {PricingError} `invalid_quantity` for a size without a price.
 */
export function listedImagePrice(
  price: ImagePrice,
  image: ImageSpecification,
  markupBps: number,
): string {
  const { numerator, denominator } = imageCost(price.rule, image)
  const micro = 1_000_000n * denominator * basisPoints
  const marked = withBasisPoints(numerator, markupBps)
  return formatDecimal((marked + micro - 1n) / micro, 6)
}
