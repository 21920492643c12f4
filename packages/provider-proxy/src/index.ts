export type { ChatField } from '@farebox/api'
export {
  type AnthropicOptions,
  anthropicLimits,
  createAnthropicProvider,
} from './anthropic/anthropic-provider.ts'
export { type Breaker, type BreakerOptions, createBreaker } from './breaker/breaker.ts'
export type { HealthChange } from './breaker/health-report.ts'
export type { HealthOptions } from './breaker/provider-health.ts'
export { type Guard, withBreaker, withImageBreaker } from './breaker/with-breaker.ts'
export type { UnsignedRequest } from './call/signed-call.ts'
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
export { azureProfile } from './openai/profiles/hosts/azure.ts'
export { bedrockProfile } from './openai/profiles/hosts/bedrock.ts'
export { cerebrasProfile } from './openai/profiles/hosts/cerebras.ts'
export { cloudflareProfile } from './openai/profiles/hosts/cloudflare.ts'
export { deepInfraProfile } from './openai/profiles/hosts/deepinfra.ts'
export { fireworksProfile } from './openai/profiles/hosts/fireworks.ts'
export { groqProfile } from './openai/profiles/hosts/groq.ts'
export { nebiusProfile } from './openai/profiles/hosts/nebius.ts'
export { novitaProfile } from './openai/profiles/hosts/novita.ts'
export { nvidiaProfile } from './openai/profiles/hosts/nvidia.ts'
export { sambaNovaProfile } from './openai/profiles/hosts/sambanova.ts'
export { togetherProfile } from './openai/profiles/hosts/together.ts'
export { alibabaProfile } from './openai/profiles/makers/alibaba.ts'
export { cohereProfile } from './openai/profiles/makers/cohere.ts'
export { deepSeekProfile } from './openai/profiles/makers/deepseek.ts'
export { miniMaxProfile } from './openai/profiles/makers/minimax.ts'
export { mistralProfile } from './openai/profiles/makers/mistral.ts'
export { moonshotProfile } from './openai/profiles/makers/moonshot.ts'
export { openAiProfile } from './openai/profiles/makers/openai.ts'
export { perplexityProfile } from './openai/profiles/makers/perplexity.ts'
export { xAiProfile } from './openai/profiles/makers/xai.ts'
export { zAiProfile } from './openai/profiles/makers/zai.ts'
export { customProfile } from './openai/profiles/others/custom.ts'
export { huggingFaceProfile } from './openai/profiles/others/huggingface.ts'
export { ollamaProfile } from './openai/profiles/others/ollama.ts'
export { openRouterProfile } from './openai/profiles/others/openrouter.ts'
export { sandboxProfile } from './openai/profiles/others/sandbox.ts'
export { vllmProfile } from './openai/profiles/others/vllm.ts'
export {
  commonProfile,
  type ProviderProfile,
  strictProfile,
  type UsageProfile,
} from './openai/provider-profile.ts'
export type {
  ChatCall,
  ChatEvent,
  ChatProvider,
  ChatStream,
  FinishedEvent,
  ReasoningCall,
  ReasoningDisplay,
  Timings,
} from './provider/chat-provider.ts'
export type { ClientGonePolicy } from './provider/client-gone-policy.ts'
export { countedMessages } from './provider/counted-messages.ts'
export type {
  GeneratedImage,
  ImageCall,
  ImageProvider,
  ImageResult,
} from './provider/image-provider.ts'
export { isProvokedSilence } from './provider/is-provoked-silence.ts'
export { type RequestLimits, unsupportedField } from './provider/unsupported-field.ts'
export { type Executed, UpstreamError, type UpstreamErrorCode } from './provider/upstream-error.ts'
export {
  type CollectOptions,
  type CollectOutcome,
  collectCompletion,
} from './relay/collect-completion.ts'
export { type Delivered, type DeliveredChoice, isNothing } from './relay/delivered.ts'
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
export { chatUsageJson } from './wire/chat-usage-json.ts'
export { clampUsage, type UsageBounds } from './wire/clamp-usage.ts'
