import type { Usd, Usdc } from '@farebox/money'
import type { Terms } from '../terms/terms.ts'

/** How size and steps determine the price of one image. Amounts are picodollars per image. */
export type ImagePriceRule =
  /** A price for each listed size; other sizes have none. */
  | { readonly kind: 'listed'; readonly points: readonly ImagePricePoint[] }
  /** One price for every size. */
  | { readonly kind: 'flat'; readonly perImage: Usd }
  /** A price up to `includedPixels`, and another for each further megapixel started. */
  | {
      readonly kind: 'megapixel'
      readonly base: Usd
      readonly includedPixels: number
      readonly perExtraMegapixel: Usd
    }
  /** Compute time: interpolated linearly in pixels between points, scaled by steps. */
  | {
      readonly kind: 'compute'
      /** In ascending order of pixels. */
      readonly points: readonly ImagePricePoint[]
      /** The steps the points are priced for; absent if the price does not depend on steps. */
      readonly referenceSteps?: number
      /**
       * A factor on the maximum (10,000 is 1), because the true price is known only afterwards. What
       * is not used of it is refunded.
       */
      readonly marginBps: number
    }

/** The price of an image of this size: pixels, and picodollars. */
export type ImagePricePoint = {
  readonly width: number
  readonly height: number
  readonly price: Usd
}

/** The price of an image model from one day on. */
export type ImagePrice = {
  readonly version: string
  readonly rule: ImagePriceRule
  /**
   * The most a provider bills per image in addition to the rule, such as the tokens of the longest
   * prompt. It is part of the maximum, but charged only if the provider reports it.
   */
  readonly besidesPerImage?: Usd
  /** The operator's margin on this price, in basis points, in place of that of the terms. */
  readonly markupBps?: number
}

/** The maximum cost of one image request, as plain data. */
export type ImageQuote = {
  readonly kind: 'image'
  readonly model: string
  readonly width: number
  readonly height: number
  readonly numberOfImages: number
  readonly steps?: number
  readonly price: ImagePrice
  readonly terms: Terms
  readonly maximum: Usdc
  readonly likely: Usdc
}
