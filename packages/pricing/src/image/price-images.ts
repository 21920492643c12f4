import { atomicUsdc, greatest, least, type Usd, type Usdc } from '@farebox/money'
import { quantity } from '../terms/quantity.ts'
import { imageCost, type UsdFraction } from './image-cost.ts'
import type { ImageQuote } from './image-price.ts'
import { chargedImages } from './quote-image.ts'

/** What a provider delivered for one request. */
export type ImagesMade = {
  readonly images: number
  /** What the provider says that all of them cost it, where it says so. */
  readonly reportedCost?: Usd
}

/**
 * What the images made did cost: the provider's own cost where it reports one, else the price by
 * the quoted rule; with the markup, no less than the minimum charge, and for fewer images than were
 * paid for never more than their share of the maximum. No image costs nothing.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer.
 */
export function priceImages(quote: ImageQuote, made: ImagesMade): Usdc {
  const images = Math.min(made.images, quote.numberOfImages)
  if (quantity('images', images) === 0n) return atomicUsdc(0n)
  const share = shareOf(quote, images)
  return least(
    greatest(share, least(quote.terms.minimumCharge, quote.maximum)),
    cost(quote, { ...made, images }),
  )
}

function cost(quote: ImageQuote, { images, reportedCost }: ImagesMade): Usdc {
  const upstream: UsdFraction =
    reportedCost !== undefined && reportedCost > 0n
      ? { numerator: reportedCost, denominator: BigInt(images) }
      : imageCost(quote.price.rule, quote)
  return chargedImages(upstream, quote.terms, images)
}

/** The part of the maximum that belongs to some of the images, rounded in the payer's favour. */
function shareOf({ maximum, numberOfImages }: ImageQuote, images: number): Usdc {
  return atomicUsdc((maximum * BigInt(images)) / BigInt(numberOfImages))
}
