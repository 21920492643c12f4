import type { ChatChunk, ChatRequest } from '@farebox/api'
import type { Usd } from '@farebox/money'
import type { Usage } from '@farebox/pricing'
import type { ChoiceEnd } from './choice-end.ts'
import type { ClientGonePolicy } from './client-gone-policy.ts'

/** One call of one model: the validated request, and what the payment allows. */
export type ChatCall = {
  /** The id of the model that serves the call; it goes into every chunk. */
  readonly model: string
  /** The provider's id of the model. */
  readonly upstreamModel: string
  readonly request: ChatRequest
  /** Always sent upstream. */
  readonly maxTokens: number
  /** The most output that is billed, over all choices; `maxTokens` of each by default. */
  readonly maxBilledOutput?: number
  /** The context of the model: usage that it cannot hold is ignored. */
  readonly contextLength?: number
  /** Sent upstream when present: the request's, or the default where the model takes one. */
  readonly temperature?: number
  /** The highest rates that were paid for, in picodollars a token. */
  readonly maxPrice: { readonly input: Usd; readonly output: Usd }
  /** Fires when the client disconnects or the gateway stops. */
  readonly signal: AbortSignal
  /** Fires when the gateway stops: the call ends at once, even while its usage is awaited. */
  readonly stop?: AbortSignal
  /**
   * The most times that it is sent while nothing was executed; the provider's policy by default.
   */
  readonly attempts?: number
  /** How long the first token may take, in milliseconds; the provider's timeout by default. */
  readonly firstToken?: number
  /** When the client stops waiting for the first token, in milliseconds since 1970. */
  readonly until?: number
  /** Takes precedence over the provider's own policy. */
  readonly onClientGone?: ClientGonePolicy
  /** The model may reason without showing it: a late first token says nothing about other models. */
  readonly mayReasonUnseen?: boolean
}

/** How long each part took, in milliseconds, from one source only. */
export type Timings = {
  readonly queue?: number
  readonly prompt?: number
  readonly completion?: number
  readonly total?: number
}

/** An event of a provider's response, in the shape of this API. */
export type ChatEvent =
  | {
      readonly type: 'chunk'
      /** Without finish reason and usage: both are held back for the last event. */
      readonly chunk: ChatChunk
      /** The length of the provider's event. */
      readonly weight?: number
    }
  | FinishedEvent

/** The response is complete. Always the last event. */
export type FinishedEvent = {
  readonly type: 'finished'
  readonly finishReasons: readonly ChoiceEnd[]
  /** At most what the call allowed; null when the provider sent no possible counts. */
  readonly usage: Usage | null
  readonly timings: Timings
}

/**
 * A response in progress. Iterating applies back-pressure; leaving the loop closes the upstream.
 * A truncated, stalled or failing upstream throws `UpstreamError`.
 */
export type ChatStream = {
  readonly id: string
  readonly created: number
  /** The id of the model that serves the call. */
  readonly model: string
  /** The name of the provider. */
  readonly provider: string
  readonly events: AsyncIterable<ChatEvent>
  /** `drain`: the response is read to its end after a disconnect, for its usage. */
  readonly onClientGone?: ClientGonePolicy
  /** `excluded`: the request asks for an answer without its reasoning, which is billed anyway. */
  readonly reasoning?: 'excluded'
  /** Fires when the provider has waited too long for its reader, which should be cut off. */
  readonly readerTooSlow?: AbortSignal
  /**
   * What the provider has counted so far, for a response that ends early: some providers count the
   * input and its caches at once. Null before it has.
   */
  readonly usageSoFar?: () => Usage | null
}

/** The parts of a call that decide whether and how a model reasons. */
export type ReasoningCall = Pick<ChatCall, 'request' | 'upstreamModel'>

/** `hidden`: a provider may bill reasoning that its responses do not contain. */
export type ReasoningDisplay = 'shown' | 'hidden'

/** A provider of chat models. */
export type ChatProvider = {
  readonly name: string
  readonly reasoning?: ReasoningDisplay | ((call: ReasoningCall) => ReasoningDisplay)
  /**
   * Resolves with the provider's first event.
   *
   * @throws {UpstreamError} when the provider fails before it.
   */
  open(call: ChatCall): Promise<ChatStream>
}
