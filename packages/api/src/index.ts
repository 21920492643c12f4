export { type ChannelBody, channelSchema } from './channel.ts'
export {
  type CacheMark,
  cacheMarks,
  withoutCacheMarks,
  withoutMark,
  withoutMessageMarks,
} from './chat/cache-marks.ts'
export {
  type ChatChunk,
  type ChatCompletion,
  type ChatUsage,
  chatChunkSchema,
  chatCompletionSchema,
  chatUsageSchema,
  type FinishReason,
} from './chat/chat-completion.ts'
export { type ChatLimits, specifiedLimits, widestLimits } from './chat/chat-limits.ts'
export { type ChatMessage, chatMessageSchema } from './chat/chat-message.ts'
export {
  type ChatRequest,
  type ChatRequestInput,
  type ChatRequestSchema,
  chatRequestSchema,
  createChatRequestSchema,
  defaultMaxTokens,
  defaultTemperature,
  requestedMaxTokens,
} from './chat/chat-request.ts'
export { isEmptyMessage } from './chat/is-empty-message.ts'
export { type ChatField, isNeutral } from './chat/is-neutral.ts'
export type { ProviderPreferences } from './chat/provider-preferences.ts'
export {
  type ErrorBody,
  type ErrorCode,
  type ErrorType,
  errorCodes,
  errorSchema,
  type ImageErrorBody,
  type ImageErrorName,
  imageErrorSchema,
  type MessagesErrorBody,
  messagesErrorSchema,
  paymentRequiredSchema,
  rateLimitErrorSchema,
} from './errors.ts'
export {
  type ChatEstimate,
  chatEstimateSchema,
  type ImageEstimate,
  imageEstimateSchema,
} from './estimate.ts'
export { countOf } from './fields/count-of.ts'
export { isDeeperThan } from './fields/is-deeper-than.ts'
export { maxLevels } from './fields/max-levels.ts'
export { neutralValue } from './fields/neutral-value.ts'
export {
  type Health,
  healthSchema,
  type NetworkHealth,
  networkHealthSchema,
  type ProviderState,
  type Readiness,
  readinessSchema,
} from './health.ts'
export { imageDimensions } from './image-dimensions.ts'
export {
  defaultImageSide,
  type ImageEstimateRequest,
  type ImageRequest,
  type ImageResultBody,
  imageEstimateRequestSchema,
  imageRequestSchema,
  imageResultSchema,
} from './image-request.ts'
export { isLongerThan } from './is-longer-than.ts'
export {
  type ChatModelBody,
  type ChatModelList,
  chatModelListSchema,
  chatModelSchema,
  type ImageModelList,
  imageModelListSchema,
  modelObjectSchema,
} from './model-list.ts'
export { maxReplaySecretLength } from './open-api/max-replay-secret-length.ts'
export { openApiDocument } from './open-api/open-api-document.ts'
export type { WireRequestSchemas } from './open-api/wire-request-schemas.ts'
export { type PaymentBody, paymentSchema } from './payment.ts'
export { type Parsed, type Problem, type ProblemCode, parseWith } from './problem.ts'
export type { SiteFacts } from './site-facts.ts'
