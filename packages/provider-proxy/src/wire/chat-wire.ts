import type { ChatChunk } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import type { ChatCall, ChatProvider, Timings } from '../provider/chat-provider.ts'
import type { ChoiceEnd } from '../provider/choice-end.ts'
import type { ClientGonePolicy } from '../provider/client-gone-policy.ts'
import type { OutgoingRequest } from '../transport/upstream-transport.ts'

/** What all chunks of one response have in common. */
export type ChunkFrame = {
  readonly id: string
  readonly created: number
  readonly model: string
  /** The name of the provider. */
  readonly provider: string
}

/** One server-sent event of a provider. */
export type WireEvent = { readonly name: string | undefined; readonly data: string }

/** The facts that are known at the end of a response. */
export type WireEnd = {
  readonly finishReasons: readonly ChoiceEnd[]
  readonly usage: Usage | null
  /** The provider's own measurements; without them the gateway's clock is used. */
  readonly timings?: Timings
}

/** Reads one response, event by event. Holds back finish reasons and usage. */
export type WireReader = {
  /**
   * Emits what an event carries. `tail`: every choice has its finish reason, only usage may
   * follow; `done`: the provider's own end mark came.
   *
   * @throws {UpstreamError} when the event is an error or cannot be read.
   */
  read(event: WireEvent, emit: (chunk: ChatChunk) => void): 'more' | 'tail' | 'done'
  /** Null when the response is not complete; throws when its model ended it with nothing to use. */
  end(): WireEnd | null
  /** The counts that have arrived; null before the first. */
  usageSoFar(): Usage | null
}

/** The wire format of one kind of provider. */
export type ChatWire = {
  readonly name: string
  readonly onClientGone: ClientGonePolicy
  readonly reasoning: NonNullable<ChatProvider['reasoning']>
  request(call: ChatCall): OutgoingRequest
  reader(frame: ChunkFrame, call: ChatCall): WireReader
}
