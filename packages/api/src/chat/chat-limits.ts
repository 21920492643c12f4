/** How long a conversation may be. */
export type ChatLimits = {
  readonly messages: number
  /** UTF-16 code units of text in one message. */
  readonly characters: number
}

/** The limits of chat completions, from the specification. */
export const specifiedLimits: ChatLimits = { messages: 100, characters: 100_000 }

/**
 * The limits of the other interfaces: more than any context holds, and little enough to parse at
 * once.
 */
export const widestLimits: ChatLimits = { messages: 10_000, characters: 1_000_000 }

/** Characters of all tools, or of a response format: four times what fits the longest contexts. */
export const maxDefinitionCharacters = 4_000_000

/** The end of an error message: the interfaces that allow more, if any. */
export function widerInterface(given: number, widest: number): string {
  return given < widest ? `, or use /v1/responses or /v1/messages, which take ${widest}` : ''
}
