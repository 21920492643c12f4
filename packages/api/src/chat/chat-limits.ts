/** How long a conversation may be. */
export type ChatLimits = {
  readonly messages: number
  /** UTF-16 code units of text in one message. */
  readonly characters: number
}

/** Of chat completions, as the specification says. */
export const specifiedLimits: ChatLimits = { messages: 100, characters: 100_000 }

/** Of other interfaces: more than fits the context of a model, and little enough to be read at once. */
export const widestLimits: ChatLimits = { messages: 10_000, characters: 1_000_000 }

/** Characters of all tools, or of a response format: four times what fits the longest contexts. */
export const mostDefinitionCharacters = 4_000_000

/** What to do about too much of something, if another interface takes more. */
export function widerInterface(given: number, widest: number): string {
  return given < widest ? `, or use /v1/responses or /v1/messages, which take ${widest}` : ''
}
