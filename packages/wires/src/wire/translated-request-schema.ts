import { type ChatRequestSchema, createChatRequestSchema, widestLimits } from '@farebox/api'

/** The chat requests of `read`, which may be longer than those of `POST /v1/chat/completions`. */
export const translatedRequestSchema: ChatRequestSchema = createChatRequestSchema(widestLimits)
