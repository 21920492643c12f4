/** A chat message, and the caller's names of it and of the parts of its content. */
export type NamedMessage = {
  readonly message: Readonly<Record<string, unknown>>
  readonly origin: string
  readonly parts?: readonly string[]
}

/** The caller's names, by the names that messages and parts have in the chat request. */
export function messageOrigins(messages: readonly NamedMessage[]): readonly [string, string][] {
  return messages.flatMap(({ origin, parts = [] }, index): [string, string][] => [
    [`messages[${index}]`, origin],
    ...parts.map((part, at): [string, string] => [`messages[${index}].content[${at}]`, part]),
  ])
}
