import type { ChatPrice } from '@farebox/pricing'

/** Who can be asked to run a model. */
export type ProviderName =
  | 'openrouter'
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'xai'
  | 'deepseek'
  | 'mistral'
  | 'groq'
  | 'together'
  | 'fireworks'
  | 'cerebras'
  | 'moonshot'
  | 'runware'
  | 'custom'
  | 'sandbox'

/** A way to a model: a provider, and the id under which that provider knows it. */
export type UpstreamRoute = {
  readonly provider: ProviderName
  readonly model: string
  /** Request fields of the model that cannot go this way; absent where all can. */
  readonly lacks?: readonly ChatParameter[]
}

/** Request fields beyond the specification's five that a model may honour. */
export type ChatParameter =
  | 'temperature'
  | 'top_p'
  | 'stop'
  | 'seed'
  | 'frequency_penalty'
  | 'presence_penalty'
  | 'logit_bias'
  | 'logprobs'
  | 'top_logprobs'
  | 'response_format'
  | 'tools'
  | 'tool_choice'
  | 'parallel_tool_calls'
  | 'reasoning_effort'
  | 'n'

export type Modality = 'text' | 'image' | 'audio' | 'video' | 'pdf'

/** Whether a model thinks before it answers: never, when asked or left to, or without choice. */
export type Reasoning = 'none' | 'optional' | 'always'

/** A chat model as it can be bought today. */
export type ChatModel = {
  /** `<provider>/<model>`, the id of requests. */
  readonly id: string
  readonly name: string
  readonly description: string
  /** Who made the weights: the part of the id before its first slash, unless that is a host. */
  readonly maker: string
  readonly contextLength: number
  readonly maxOutputTokens: number
  /** The upstream's price, before the operator's markup. */
  readonly price: ChatPrice
  readonly inputModalities: readonly Modality[]
  readonly reasoning: Reasoning
  /** What at least one route carries. */
  readonly parameters: readonly ChatParameter[]
  /** Upper end of `temperature` where it is lower than 2; a higher request is a 400 naming it. */
  readonly maxTemperature?: number
  /** The name of the token counter, one of `counterNames` of `@farebox/tokenizer`. */
  readonly counter: string
  /** In order of preference. The sandbox needs no route: it plays every model. */
  readonly routes: readonly UpstreamRoute[]
}
