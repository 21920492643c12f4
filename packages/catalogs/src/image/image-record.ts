import type { ImageModel } from './image-model.ts'

/** The price of one size: USD per image, as decimal text. */
export type ImagePointText = readonly [width: number, height: number, price: string]

/** The rules of `ImagePriceRule` of `@farebox/pricing`, with USD as decimal text. */
export type ImageRuleText =
  | { readonly kind: 'listed'; readonly points: readonly ImagePointText[] }
  | { readonly kind: 'flat'; readonly perImage: string }
  | {
      readonly kind: 'megapixel'
      readonly base: string
      readonly includedPixels: number
      readonly perExtraMegapixel: string
    }
  | {
      readonly kind: 'compute'
      readonly points: readonly ImagePointText[]
      readonly referenceSteps?: number
      readonly marginBps: number
    }

/**
 * How reliable a price is. `published`: on the provider's page. `third-party`: from another router's
 * list or its calls. `estimate`: extrapolated from a known price.
 */
export type ImagePriceStatus = 'published' | 'third-party' | 'estimate' | 'override'

/** A price and the date from which it applies. Once published it never changes; new ones are added. */
export type ImagePriceRecord = {
  /** An ISO 8601 date or time in UTC. */
  readonly effectiveFrom: string
  /** The status of the size whose price is most reliable. */
  readonly status: ImagePriceStatus
  readonly source: string
  readonly rule: ImageRuleText
  /** The most USD per image for extra charges, such as prompt tokens. */
  readonly besidesPerImage?: string
  /** The operator's margin on this price, in basis points. */
  readonly markupBps?: number
}

/** An image model as data, with its complete price history. */
export type ImageRecord = Omit<ImageModel, 'price'> & {
  /** In ascending order of `effectiveFrom`; at least one. */
  readonly prices: readonly ImagePriceRecord[]
}
