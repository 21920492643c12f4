import type { Wire } from '../counter/wire.ts'
import type { ImageDetail } from '../images/image-rule.ts'

/** A part of a message's content: a text or an image. Others are not counted. */
export type ContentPart = {
  readonly type: string
  readonly text?: string | undefined
  readonly image_url?: { readonly url: string; readonly detail?: ImageDetail } | undefined
}

/** A tool call of an assistant: the fields that cost tokens. */
export type MessageToolCall = {
  readonly id?: string | undefined
  readonly type?: string | undefined
  readonly function?: { readonly name: string; readonly arguments?: string | undefined } | undefined
}

/** The fields of OpenAI's chat message that cost tokens. */
export type ChatMessage = {
  readonly role: string
  readonly content?: string | readonly ContentPart[] | null | undefined
  readonly name?: string | undefined
  readonly tool_calls?: readonly MessageToolCall[] | null | undefined
  readonly tool_call_id?: string | undefined
  /** A call in the form that `tool_calls` replaced. */
  readonly function_call?: MessageToolCall['function'] | null | undefined
  readonly refusal?: string | null | undefined
  /** What the model thought before it answered, if the history returns it. */
  readonly reasoning?: string | null | undefined
  readonly reasoning_content?: string | null | undefined
  /** Steps of reasoning, whose strings (`text`, `data`, `signature`) are all counted. */
  readonly reasoning_details?: readonly Readonly<Record<string, unknown>>[] | null | undefined
}

/** The other parts of a request that cost input tokens. */
export type ChatExtras = {
  /** The model's id, by which images are counted; without it, as for an unknown model. */
  readonly model?: string | undefined
  /**
   * Where the request is sent: by default the maker's own API, and OpenAI's chat wire. Responses bills
   * other tokens for tools; Vertex AI bills the schemas of Gemini, which Google's other API does not.
   */
  readonly wire?: Wire | undefined
  /** Tool definitions, as sent. */
  readonly tools?: readonly unknown[] | undefined
  /** The `response_format`, as sent; the schema is that of `json_schema.schema`. */
  readonly responseFormat?: unknown
}
