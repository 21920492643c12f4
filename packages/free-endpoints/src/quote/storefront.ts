import type { ChatRequest, ImageEstimateRequest } from '@farebox/api'
import type { Catalog, ChatModel, ImageModel } from '@farebox/catalogs'
import type { Terms } from '@farebox/pricing'
import type { TokenCounter } from '@farebox/tokenizer/node'

/** What is for sale, and at which terms: everything that a quote depends on beside the request. */
export type Storefront = {
  /** The catalog as it is now; a refresh replaces it whole. */
  readonly catalog: () => Catalog
  readonly terms: Terms
  readonly counter: TokenCounter
  readonly defaultChatModel: string
  readonly defaultImageModel: string
  /** Whether a provider can serve the model here. */
  readonly isSold: (model: ChatModel | ImageModel) => boolean
  /** The first field that the model's provider cannot honour, whatever the model can. */
  readonly unsupportedField: (model: ChatModel, request: ChatRequest) => string | undefined
  /** The same for images; left out where every provider honours every field. */
  readonly unsupportedImageField?: (
    model: ImageModel,
    request: ImageEstimateRequest,
  ) => string | undefined
  /** How long a quoted price is honoured, in milliseconds. */
  readonly quoteLifetimeMs: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}
