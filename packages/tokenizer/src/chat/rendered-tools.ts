/** Tools as one text, and what the upper bound counts besides it. */
export type RenderedTools = {
  readonly text: string
  /** The caller's own texts that `text` may leave out, and the comments of declarations. */
  readonly rest: string
  readonly properties: number
  /** Members of all objects and arrays. */
  readonly members: number
  /** Properties, items and alternatives of schemas. */
  readonly schemas: number
  /** `$ref` in schemas. */
  readonly references: number
  /** Line breaks in the descriptions of tools. */
  readonly lines: number
}
