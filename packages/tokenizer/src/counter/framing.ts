import type { Wire } from './wire.ts'

/** Tokens that a model family adds around the texts of a chat. */
export type Framing = {
  /** Around each message, including its role. */
  readonly message: number
  /** Roles that differ from `message`. */
  readonly roles?: Readonly<Record<string, number>>
  /** In addition to the tokens of a message's name. */
  readonly name: number
  /** Once per request: its beginning, the prompt for the reply, a default system text. */
  readonly fixed: number
  /** `published`: the vendor documents it for plain messages. `fitted`: derived from usage. */
  readonly source: 'published' | 'fitted'
  /** How much a fitted figure may be too low: per message, and once. */
  readonly slack: { readonly message: number; readonly fixed: number }
  readonly tools: ToolFraming
  /** The same on OpenAI's Responses wire, if it differs. */
  readonly responsesTools?: ToolFraming
  readonly calls: CallFraming
  readonly format: FormatFraming
  /** The same on wires that bill it otherwise. */
  readonly formatOn?: Readonly<Partial<Record<Wire, FormatFraming>>>
}

/** Tokens that tool definitions add. */
export type ToolFraming = {
  /** The text to count for them: TypeScript declarations, the JSON as sent, or the texts in it. */
  readonly writtenAs: 'declarations' | 'json' | 'values'
  /** Once per request with tools, per tool, per property, and per token of their text. */
  readonly likely: {
    readonly request: number
    readonly tool: number
    readonly property: number
    readonly text: number
  }
  /**
   * The same for the upper bound. `member`: per member of an object or array in their JSON; `rest`:
   * per token of the caller's own texts that `text` may leave out. `schema`: per property, item or
   * alternative of a schema. `reference`: per `$ref`, and per token of the whole text, for a family
   * that writes out what it refers to. `line`: per line break in the description of a tool, for a
   * family that begins each line with `//`.
   */
  readonly atMost: {
    readonly request: number
    readonly tool: number
    readonly member: number
    readonly text: number
    readonly rest: number
    readonly schema?: number
    readonly reference?: number
    readonly line?: number
  }
}

/** Tokens that tool calls and their results add. */
export type CallFraming = {
  /** The text to count for arguments: their JSON, or its keys and values only. */
  readonly writtenAs: 'json' | 'values'
  /** Per token of a call's id; some families leave ids out of the prompt. */
  readonly id: number
  /**
   * UTF-16 units up to which an id is not billed at most either: no recorded bill has any, and the
   * vendor's own ids are shorter. Absent: the bound has all ids.
   */
  readonly unbilledId?: number
  readonly likely: CallTokens
  readonly atMost: CallTokens
}

/** Per call, per result, and per token of a call's arguments or of a result. */
export type CallTokens = { readonly call: number; readonly result: number; readonly text: number }

/** Tokens that a response format adds. */
export type FormatFraming = {
  /**
   * The text to count: the JSON of the whole format; that of its schema; or the names, keys, types
   * and choices in a schema of Google's own form, and nothing for JSON Schema.
   */
  readonly writtenAs: 'json' | 'schema' | 'values'
  readonly likely: FormatTokens
  readonly atMost: FormatTokens
}

/** Once per request with a format, and per token of its text. */
export type FormatTokens = { readonly request: number; readonly text: number }
