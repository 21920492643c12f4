import type { Usd, Usdc } from '@farebox/money'
import type { Terms } from '../terms/terms.ts'

/** How the price of one image follows from its size and steps. Amounts are picodollars an image. */
export type ImagePriceRule =
  /** A price for each listed size, and no other size. */
  | { readonly kind: 'listed'; readonly points: readonly ImagePricePoint[] }
  /** One price for every size. */
  | { readonly kind: 'flat'; readonly perImage: Usd }
  /** A price up to `includedPixels` and one more for each further megapixel begun. */
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
      /** The steps behind the points; absent where the price does not depend on steps. */
      readonly referenceSteps?: number
      /** Multiplies the maximum, 10,000 being once, since the true price is only known afterwards. */
      readonly marginBps: number
    }

export type ImagePricePoint = {
  readonly width: number
  readonly height: number
  readonly price: Usd
}

export type ImagePrice = {
  readonly version: string
  readonly rule: ImagePriceRule
  /**
   * The most that a provider bills per image beside the rule, such as the tokens of the longest
   * prompt: part of the maximum, and charged only as the provider reports it.
   */
  readonly besidesPerImage?: Usd
}

/** The most that one image request can cost, as plain data. */
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
