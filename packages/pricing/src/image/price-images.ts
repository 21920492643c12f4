import { atomicUsdc, greatest, least, type Usd, type Usdc } from '@farebox/money'
import { quantity, requireAmount } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import { chargedPrice } from '../terms/selling-price.ts'
import { roundedUp, times, type UsdFraction, whole } from '../terms/usd-fraction.ts'
import { imageCost } from './image-cost.ts'
import type { ImageQuote } from './image-price.ts'

/** What a provider delivered for one request. */
export type ImagesMade = {
  readonly images: number
  /**
   * The total cost that the provider reports. 0 or less counts as not reported: then the price by
   * the rule applies.
   */
  readonly reportedCost?: Usd
}

/**
 * The cost of the images that were made: the provider's reported cost if there is one, otherwise the
 * price by the quoted rule, plus the markup. At least the minimum charge; for fewer images than were
 * paid for, at most their share of the maximum; zero for no image.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer, and
 * for a reported cost that is not a bigint.
 */
export function priceImages(quote: ImageQuote, made: ImagesMade): Usdc {
  requireObject('quote', quote)
  requireObject('made', made)
  quantity('images', made.images)
  if (made.reportedCost !== undefined) requireAmount('a reported cost', made.reportedCost)
  const images = Math.min(made.images, quote.numberOfImages)
  if (images === 0) return atomicUsdc(0n)
  const share = shareOf(quote, images)
  return least(
    greatest(share, least(quote.terms.minimumCharge, quote.maximum)),
    cost(quote, { ...made, images }),
  )
}

/**
 * What a provider bills for a number of images by the quoted rule, rounded up: no markup, no minimum.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer.
 */
export function costOfImagesByRule(quote: ImageQuote, images: number): Usd {
  requireObject('quote', quote)
  requireObject('quote.price', quote.price)
  return roundedUp(times(imageCost(quote.price.rule, quote), quantity('images', images)))
}

function cost(quote: ImageQuote, { images, reportedCost }: ImagesMade): Usdc {
  const upstream: UsdFraction =
    reportedCost !== undefined && reportedCost > 0n
      ? whole(reportedCost)
      : times(imageCost(quote.price.rule, quote), quantity('images', images))
  return chargedPrice(upstream, quote.terms)
}

/** The share of the maximum for a number of images, rounded in the payer's favor. */
function shareOf({ maximum, numberOfImages }: ImageQuote, images: number): Usdc {
  return atomicUsdc((maximum * BigInt(images)) / BigInt(numberOfImages))
}
