export { type ChatMessage, chatMessageSchema, maxMessageCharacters } from './chat-message.ts'
export {
  type ChatRequest,
  chatRequestSchema,
  defaultMaxTokens,
  requestedMaxTokens,
} from './chat-request.ts'
export {
  type ChatChunk,
  type ChatCompletion,
  type ChatUsage,
  type FinishReason,
  chatChunkSchema,
  chatCompletionSchema,
  chatUsageSchema,
} from './chat-completion.ts'
