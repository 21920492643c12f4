import { type ChatRequestSchema, createChatRequestSchema, widestLimits } from '@farebox/api'

/** How the chat requests of `read` differ from those of `POST /v1/chat/completions`. */
export const translatedRequests: {
  /** They may be longer. */
  readonly schema: ChatRequestSchema
  /** Their callers may write the value that requests nothing otherwise, so errors advise none. */
  readonly neutralValue: () => undefined
} = {
  schema: createChatRequestSchema(widestLimits),
  neutralValue: () => undefined,
}
