import type { ImagePrice } from '@farebox/pricing'
import type { UpstreamRoute } from '../chat/chat-model.ts'

export type ImageCategory = 'fast' | 'realistic' | 'anime' | 'artistic' | 'professional'

/** Which sizes a model makes; all are 128 to 2048 and divisible by 64 besides. */
export type ImageSizes =
  | {
      readonly kind: 'listed'
      readonly sizes: readonly (readonly [width: number, height: number])[]
    }
  | {
      readonly kind: 'free'
      readonly minWidth: number
      readonly minHeight: number
      readonly maxWidth?: number
      readonly maxHeight?: number
    }

/** An image model as it can be bought today. */
export type ImageModel = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Family label; `Premium` is the group of proprietary models, which take no steps. */
  readonly architecture: string
  readonly category: ImageCategory
  readonly sizes: ImageSizes
  /** Absent where the model takes no steps. */
  readonly steps?: { readonly min: number; readonly max: number; readonly default: number }
  /** The upstream's price, before the operator's markup. */
  readonly price: ImagePrice
  /** The longest prompt that the price covers, in UTF-16 code units. */
  readonly maxPromptLength: number
  /** Must go upstream with each request, since the price holds only for them. */
  readonly pinnedSettings: Readonly<Record<string, string | number | boolean>>
  readonly routes: readonly UpstreamRoute[]
}
