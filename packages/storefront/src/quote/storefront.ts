import type { ChatRequest, ChatRequestSchema, ImageEstimateRequest } from '@farebox/api'
import type { Catalog, ChatModel, ImageModel, ProviderName } from '@farebox/catalogs'
import type { Terms } from '@farebox/pricing'
import type { TokenCounter } from '@farebox/tokenizer/node'
import type { RequestRejection } from './request-rejection.ts'

/** What is for sale, and on which terms: everything that a quote depends on besides the request. */
export type Storefront = {
  /** The current catalog; a refresh replaces it as a whole. */
  readonly catalog: () => Catalog
  readonly terms: Terms
  /** The accepted chat requests; those of the specification if omitted. */
  readonly chatRequestSchema?: ChatRequestSchema
  readonly counter: TokenCounter
  /** The default chat model of the current catalog. */
  readonly defaultChatModel: string
  readonly defaultImageModel: string
  /** Whether a provider serves the model here. */
  readonly isSold: (model: ChatModel | ImageModel) => boolean
  /** The first field that every route to the model lacks, even if the model supports it. */
  readonly unsupportedField: (model: ChatModel, request: ChatRequest) => string | undefined
  /** Why the request's `provider` leaves no route to the model; omitted if no provider is called. */
  readonly rejectedPreference?: (
    model: ChatModel,
    request: ChatRequest,
  ) => RequestRejection | undefined
  /** The same for images; omitted if every provider supports every field. */
  readonly unsupportedImageField?: (
    model: ImageModel,
    request: ImageEstimateRequest,
  ) => string | undefined
  /** The providers that may serve the request; those of the model's routes if omitted. */
  readonly providersOf?: (model: ChatModel, request: ChatRequest) => readonly ProviderName[]
  /** The messages as their providers are sent them, for the count; all of them if omitted. */
  readonly countedMessages?: (model: ChatModel, request: ChatRequest) => ChatRequest['messages']
  /** How long a quoted price is honored, in milliseconds. */
  readonly quoteLifetimeMs: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}
