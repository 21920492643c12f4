export type { ChatField } from '@farebox/api'
export {
  type AnthropicOptions,
  anthropicLimits,
  createAnthropicProvider,
} from './anthropic/anthropic-provider.ts'
export { type Breaker, type BreakerOptions, createBreaker } from './breaker/breaker.ts'
export type { HealthOptions } from './breaker/provider-health.ts'
export { type Guard, withBreaker, withImageBreaker } from './breaker/with-breaker.ts'
export type { ConnectedChatProvider, ConnectionOptions } from './call/wire-provider.ts'
export { createGeminiProvider, type GeminiOptions, geminiLimits } from './gemini/gemini-provider.ts'
export type { ConnectedImageProvider, ImageConnectionOptions } from './images/image-transport.ts'
export {
  createOpenAiImagesProvider,
  type OpenAiImagesOptions,
} from './images/openai-images-provider.ts'
export {
  createRunwareProvider,
  type RunwareOptions,
} from './images/runware-provider.ts'
export {
  createOpenAiCompatibleProvider,
  type OpenAiCompatibleOptions,
} from './openai/openai-compatible-provider.ts'
export { cerebrasProfile } from './openai/profiles/cerebras.ts'
export { customProfile } from './openai/profiles/custom.ts'
export { deepSeekProfile } from './openai/profiles/deepseek.ts'
export { fireworksProfile } from './openai/profiles/fireworks.ts'
export { groqProfile } from './openai/profiles/groq.ts'
export { mistralProfile } from './openai/profiles/mistral.ts'
export { moonshotProfile } from './openai/profiles/moonshot.ts'
export { openAiProfile } from './openai/profiles/openai.ts'
export { openRouterProfile } from './openai/profiles/openrouter.ts'
export { sandboxProfile } from './openai/profiles/sandbox.ts'
export { togetherProfile } from './openai/profiles/together.ts'
export { xAiProfile } from './openai/profiles/xai.ts'
export type { ProviderProfile, UsageProfile } from './openai/provider-profile.ts'
export type {
  ChatCall,
  ChatEvent,
  ChatProvider,
  ChatStream,
  FinishedEvent,
  Timings,
} from './provider/chat-provider.ts'
export type { ClientGonePolicy } from './provider/client-gone-policy.ts'
export type {
  GeneratedImage,
  ImageCall,
  ImageProvider,
  ImageResult,
} from './provider/image-provider.ts'
export { type RequestLimits, unsupportedField } from './provider/unsupported-field.ts'
export { type Executed, UpstreamError, type UpstreamErrorCode } from './provider/upstream-error.ts'
export {
  type CollectOptions,
  type CollectOutcome,
  collectCompletion,
} from './relay/collect-completion.ts'
export type { Delivered, DeliveredChoice } from './relay/delivered.ts'
export {
  type RelayOptions,
  type RelayOutcome,
  relayEventStream,
  type StreamSink,
} from './relay/relay-event-stream.ts'
export {
  doneText,
  heartbeatText,
  receiptText,
  streamErrorText,
  type WireError,
} from './relay/stream-text.ts'
export { openFirstRoute, type RoutedCall } from './route/open-first-route.ts'
export type { RetryPolicy } from './transport/retry-policy.ts'
export type { Timeouts } from './transport/timeouts.ts'
export { type ChatUsageJson, chatUsageJson } from './wire/chat-usage-json.ts'
export { clampUsage, type UsageBounds } from './wire/clamp-usage.ts'
