import type { ImageModel } from './image-model.ts'

/** A price of one size: USD an image, as decimal text. */
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
 * How well a price is known. `published`: on the provider's page. `third-party`: from another
 * router's list or its own calls. `estimate`: extrapolated from a known price.
 */
export type ImagePriceStatus = 'published' | 'third-party' | 'estimate' | 'override'

/** A price and the moment from which it holds. Never changed once published: appended to. */
export type ImagePriceRecord = {
  /** A day or an instant, ISO 8601, UTC. */
  readonly effectiveFrom: string
  /** Of the size that the price is best known for. */
  readonly status: ImagePriceStatus
  readonly source: string
  readonly rule: ImageRuleText
  /** USD an image at most for what is billed besides, such as prompt tokens. */
  readonly besidesPerImage?: string
}

/** An image model as data, with every price that it ever had. */
export type ImageRecord = Omit<ImageModel, 'price'> & {
  /** In ascending order of `effectiveFrom`; at least one. */
  readonly prices: readonly ImagePriceRecord[]
}
