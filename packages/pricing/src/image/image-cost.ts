import { picodollars, type Usd } from '@farebox/money'
import { PricingError, quantity } from '../terms/quantity.ts'
import { type UsdFraction, whole } from '../terms/usd-fraction.ts'
import type { ImagePricePoint, ImagePriceRule } from './image-price.ts'

/** The size of one image in pixels, and its steps. */
export type ImageSpecification = {
  readonly width: number
  readonly height: number
  readonly steps?: number
}

/** The smallest share of a compute price that fewer steps can reduce it to, in hundredths. */
const minStepShare = { numerator: 15n, denominator: 100n }
const megapixel = 1_000_000n

/**
 * The exact upstream cost of one image by its rule.
 *
 * @throws {PricingError} `invalid_quantity` for a size without a price in the rule.
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
 * Interpolates linearly in pixels between the two nearest points. The true cost is a fixed part plus
 * one that grows faster than the pixels, so the line is never below it. Below the smallest point its
 * price applies; above the largest there is no price.
 */
function interpolated(points: readonly ImagePricePoint[], pixels: bigint): UsdFraction {
  const above = points.findIndex((point) => pixelsOf(point) >= pixels)
  const upper = points[above]
  const lower = points[above - 1]
  if (upper === undefined) throw new PricingError('an image in pixels', pixels.toString())
  if (lower === undefined) return whole(upper.price)
  const span = pixelsOf(upper) - pixelsOf(lower)
  const rise = (upper.price - lower.price) * (pixels - pixelsOf(lower))
  return { numerator: picodollars(lower.price * span + rise), denominator: span }
}

/** A quarter of the steps costs a quarter, but never less than the share for start-up. */
function scaledBySteps(
  { numerator, denominator }: UsdFraction,
  referenceSteps: number | undefined,
  { steps }: ImageSpecification,
): UsdFraction {
  if (referenceSteps === undefined || steps === undefined) return { numerator, denominator }
  const taken = quantity('steps', steps)
  const reference = quantity('reference steps', referenceSteps)
  const share =
    taken * minStepShare.denominator >= reference * minStepShare.numerator
      ? { numerator: taken, denominator: reference }
      : minStepShare
  return {
    numerator: picodollars(numerator * share.numerator),
    denominator: denominator * share.denominator,
  }
}

function pixelsOf({ width, height }: { readonly width: number; readonly height: number }): bigint {
  return quantity('width', width) * quantity('height', height)
}
