import type { ChatChunk, ChatCompletion, Problem } from '@farebox/api'

/** Another vendor's interface to chat, translated at the edge into a chat completion and back. */
export type Wire = {
  /** Reads a request body. What has no counterpart in a chat completion is refused by name. */
  read(body: unknown): WireRequest
  /** An error in the shape that this interface's clients read. */
  errorBody(failure: WireFailure): object
}

/** The same request as a chat completion, or the field that it cannot honor and the fix. */
export type WireRequest =
  | {
      readonly status: 'translated'
      /** The body of the same request to `POST /v1/chat/completions`, not validated yet. */
      readonly chat: Readonly<Record<string, unknown>>
      readonly reply: WireReply
      /** The caller's name for a field of `chat`, so that an error names what was sent. */
      fieldName(chatField: string): string
    }
  | { readonly status: 'refused'; readonly problem: Problem }

/** Turns the answer into what this request expects. */
export type WireReply = {
  body(completion: ChatCompletion): object
  /** Whether this interface has a form for the answer; one that it has none for is not sold. Absent if it always has. */
  canExpress?(completion: ChatCompletion): boolean
  /** Called once per answer: the stream counts events and collects what the last one repeats. */
  openStream(known: KnownAtStart): ReplyStream
}

/** What is known about an answer before it begins. */
export type KnownAtStart = {
  /** The tokens of the request as counted for the quote. The last event has the billed ones. */
  readonly inputTokens: number
}

/** Server-sent events, as text that ends with an empty line. */
export type ReplyStream = {
  push(chunk: ChatChunk): string
  /** After the chunk with the finish reason. */
  end(): string
  /** Instead of `end`, if the answer broke off. */
  fail(failure: WireFailure): string
}

/** An error of this service, with its HTTP status, in the shape of chat completions. */
export type WireFailure = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param?: string | null | undefined
  readonly requestId?: string | undefined
}
