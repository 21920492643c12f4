import type { ChatPrice } from '@farebox/pricing'
import type { ChatParameter } from './chat-parameter.ts'
import type { ProviderName } from './provider-name.ts'
import type { RateText } from './rate-text.ts'

/** A route to a model: a provider, and the provider's id of the model. */
export type UpstreamRoute = {
  readonly provider: ProviderName
  readonly model: string
  /** What the model costs there, if it is less than its price; at any size and hour. */
  readonly price?: RateText
}

/** A kind of input that a model reads. */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'pdf'

/** Whether a model reasons before it answers: never, optionally, or always. */
export type Reasoning = 'none' | 'optional' | 'always'

/** A chat model on sale. */
export type ChatModel = {
  /** `<provider>/<model>`, the id used in requests. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** The maker of the weights: the part of the id before its first slash, unless that is a host. */
  readonly maker: string
  /** The day or month of its release, such as `2025-08-07`; absent if unknown. */
  readonly released?: string
  readonly contextLength: number
  readonly maxOutputTokens: number
  /** The upstream price, before the operator's markup. */
  readonly price: ChatPrice
  readonly inputModalities: readonly Modality[]
  readonly reasoning: Reasoning
  /** The fields that the model supports; a route may not support all of them. */
  readonly parameters: readonly ChatParameter[]
  /** The maximum `temperature` if it is below 2; a higher one is a 400 that names the field. */
  readonly maxTemperature?: number
  /** The name of the token counter, one of `counterNames` of `@farebox/tokenizer`. */
  readonly counter: string
  /** In order of preference. The sandbox needs no route: it simulates every model. */
  readonly routes: readonly UpstreamRoute[]
}
