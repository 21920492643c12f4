export {
  type AnthropicOptions,
  anthropicLimits,
  createAnthropicProvider,
} from './anthropic-provider.ts'
export { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts'
export type {
  ChatCall,
  ChatEvent,
  ChatProvider,
  ChatStream,
  Timings,
} from './chat-provider.ts'
export { type ChatUsageJson, chatUsageJson } from './chat-usage-json.ts'
export { clampUsage, type UsageBounds } from './clamp-usage.ts'
export type { ClientGonePolicy } from './client-gone-policy.ts'
export {
  type CollectOptions,
  type CollectOutcome,
  collectCompletion,
} from './collect-completion.ts'
export type { Delivered, DeliveredChoice } from './delivered.ts'
export { createGeminiProvider, type GeminiOptions, geminiLimits } from './gemini-provider.ts'
export type { GeneratedImage, ImageCall, ImageProvider, ImageResult } from './image-provider.ts'
export type { ImageConnectionOptions } from './images/image-transport.ts'
export {
  createOpenAiImagesProvider,
  type OpenAiImagesOptions,
} from './images/openai-images-provider.ts'
export {
  type ConnectedImageProvider,
  createRunwareProvider,
  type RunwareOptions,
} from './images/runware-provider.ts'
export type { ProviderProfile, UsageProfile } from './openai/provider-profile.ts'
export {
  createOpenAiCompatibleProvider,
  type OpenAiCompatibleOptions,
} from './openai-compatible-provider.ts'
export { cerebrasProfile } from './profiles/cerebras.ts'
export { customProfile } from './profiles/custom.ts'
export { deepSeekProfile } from './profiles/deepseek.ts'
export { fireworksProfile } from './profiles/fireworks.ts'
export { groqProfile } from './profiles/groq.ts'
export { mistralProfile } from './profiles/mistral.ts'
export { moonshotProfile } from './profiles/moonshot.ts'
export { openAiProfile } from './profiles/openai.ts'
export { openRouterProfile } from './profiles/openrouter.ts'
export { sandboxProfile } from './profiles/sandbox.ts'
export { togetherProfile } from './profiles/together.ts'
export { xAiProfile } from './profiles/xai.ts'
export {
  type RelayOptions,
  type RelayOutcome,
  relayEventStream,
  type StreamSink,
} from './relay-event-stream.ts'
export type { RetryPolicy } from './retry-policy.ts'
export { doneText, receiptText, streamErrorText, type WireError } from './stream-text.ts'
export type { Timeouts } from './timeouts.ts'
export { type ChatField, type RequestLimits, unsupportedField } from './unsupported-field.ts'
export { UpstreamError, type UpstreamErrorCode } from './upstream-error.ts'
export type { ConnectedChatProvider, ConnectionOptions } from './wire-provider.ts'
export { type Guard, withBreaker, withImageBreaker } from './with-breaker.ts'
