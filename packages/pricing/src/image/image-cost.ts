import { picodollars, type Usd } from '@farebox/money'
import { PricingError, quantity } from '../terms/quantity.ts'
import type { ImagePricePoint, ImagePriceRule } from './image-price.ts'

/** An exact amount of picodollars as a fraction, for prices that lie between two points. */
export type UsdFraction = { readonly numerator: Usd; readonly denominator: bigint }

/** What one image is made of. Sizes are pixels. */
export type ImageSpecification = {
  readonly width: number
  readonly height: number
  readonly steps?: number
}

/** The least part of a compute price that fewer steps leave, in hundredths. */
const leastStepShare = { numerator: 15n, denominator: 100n }
const megapixel = 1_000_000n

/**
 * What one image costs upstream by its rule, exactly.
 *
 * @throws {PricingError} `invalid_quantity` for a size that the rule has no price for.
 */
export function imageCost(rule: ImagePriceRule, image: ImageSpecification): UsdFraction {
  switch (rule.kind) {
    case 'flat':
      return whole(rule.perImage)
    case 'listed':
      return whole(listedPrice(rule.points, image))
    case 'megapixel': {
      const extra = pixelsOf(image) - quantity('included pixels', rule.includedPixels)
      const begun = extra <= 0n ? 0n : (extra + megapixel - 1n) / megapixel
      return whole(picodollars(rule.base + rule.perExtraMegapixel * begun))
    }
    case 'compute':
      return scaledBySteps(interpolated(rule.points, pixelsOf(image)), rule.referenceSteps, image)
  }
}

function listedPrice(
  points: readonly ImagePricePoint[],
  { width, height }: ImageSpecification,
): Usd {
  const point = points.find((candidate) => candidate.width === width && candidate.height === height)
  if (point === undefined) throw new PricingError('an image', `${width}x${height}`)
  return point.price
}

/**
 * Linear in pixels between the two points around it. The true cost is a fixed part and one that
 * grows faster than the pixels, so that the chord never lies below it. Under the smallest point
 * its price holds; above the largest there is none.
 */
function interpolated(points: readonly ImagePricePoint[], pixels: bigint): UsdFraction {
  const above = points.findIndex((point) => pixelsOf(point) >= pixels)
  const upper = points[above]
  const lower = points[above - 1]
  if (upper === undefined) throw new PricingError('an image of pixels', pixels.toString())
  if (lower === undefined) return whole(upper.price)
  const span = pixelsOf(upper) - pixelsOf(lower)
  const rise = (upper.price - lower.price) * (pixels - pixelsOf(lower))
  return { numerator: picodollars(lower.price * span + rise), denominator: span }
}

/** A quarter of the steps cost a quarter, but never less than the share that start-up takes. */
function scaledBySteps(
  { numerator, denominator }: UsdFraction,
  referenceSteps: number | undefined,
  { steps }: ImageSpecification,
): UsdFraction {
  if (referenceSteps === undefined || steps === undefined) return { numerator, denominator }
  const taken = quantity('steps', steps)
  const reference = quantity('reference steps', referenceSteps)
  const share =
    taken * leastStepShare.denominator >= reference * leastStepShare.numerator
      ? { numerator: taken, denominator: reference }
      : leastStepShare
  return {
    numerator: picodollars(numerator * share.numerator),
    denominator: denominator * share.denominator,
  }
}

function pixelsOf({ width, height }: { readonly width: number; readonly height: number }): bigint {
  return quantity('width', width) * quantity('height', height)
}

function whole(amount: Usd): UsdFraction {
  return { numerator: amount, denominator: 1n }
}
