/** A chat message, and the caller's names of it, of its fields, and of the parts of its content. */
export type NamedMessage = {
  readonly message: Readonly<Record<string, unknown>>
  readonly origin: string
  /** The fields of the chat message that the caller names otherwise. */
  readonly fields?: Readonly<Record<string, string>>
  readonly parts?: readonly string[]
}

/** The caller's names, by the names that messages, fields and parts have in the chat request. */
export function messageOrigins(messages: readonly NamedMessage[]): readonly [string, string][] {
  return messages.flatMap(({ origin, fields = {}, parts = [] }, index): [string, string][] => [
    [`messages[${index}]`, origin],
    ...Object.entries(fields).map(([field, name]): [string, string] => [
      `messages[${index}].${field}`,
      name,
    ]),
    ...parts.map((part, at): [string, string] => [`messages[${index}].content[${at}]`, part]),
  ])
}
