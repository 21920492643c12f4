import type { ImagePrice } from '@farebox/pricing'
import type { UpstreamRoute } from '../chat/chat-model.ts'

/** What an image model is for. */
export type ImageCategory = 'fast' | 'realistic' | 'anime' | 'artistic' | 'professional'

/** The sizes of a model; all must also be 128 to 2048 and divisible by 64. */
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

/** An image model on sale. */
export type ImageModel = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The family; `Premium` groups the proprietary models, which have no steps. */
  readonly architecture: string
  readonly category: ImageCategory
  readonly sizes: ImageSizes
  /** Absent if the model has no steps. */
  readonly steps?: { readonly min: number; readonly max: number; readonly default: number }
  /** The upstream price, before the operator's markup. */
  readonly price: ImagePrice
  /** The longest prompt that the price covers, in UTF-16 code units. */
  readonly maxPromptLength: number
  /** Settings sent with each request, because the price applies only to them. */
  readonly pinnedSettings: Readonly<Record<string, string | number | boolean>>
  readonly routes: readonly UpstreamRoute[]
}
