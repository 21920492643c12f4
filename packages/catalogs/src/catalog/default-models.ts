import type { ChatModel, ProviderName } from '../chat/chat-model.ts'
import type { Catalog } from './catalog.ts'

/**
 * Models to use when a request names none, the first that can be reached. All of them take a
 * temperature and tools and are current, and 4,096 tokens of output stay far below the ten cents
 * at which x402 clients refuse to pay. The first leads because it is also the one that four
 * providers sell at the price that is quoted, that writes the longest answer the API allows, that
 * takes every request field, and whose vocabulary is open, so that its tokens are counted exactly.
 */
export const defaultChatModels: readonly [string, ...string[]] = [
  'deepseek/deepseek-v4.1-flash',
  'openai/gpt-4.1-mini',
  'google/gemini-3.1-flash-lite',
  'anthropic/claude-haiku-4.5',
  'mistralai/mistral-small-2603',
  'x-ai/grok-4.3',
  'moonshotai/kimi-k2.6',
  'groq/openai/gpt-oss-120b',
  'cerebras/gpt-oss-120b',
]

/** The first of them: what a request gets that names no model. */
export const defaultChatModel: string = defaultChatModels[0]

/** The one image model whose price is published at all three common sizes; fast, with steps. */
export const defaultImageModel = 'tongyi-mai/z-image-turbo'

/** The first default chat model that one of these providers can run. */
export function defaultChatModelFor(
  catalog: Catalog,
  providers: ReadonlySet<ProviderName>,
): ChatModel | undefined {
  return defaultChatModels
    .map((id) => catalog.findChatModel(id))
    .find((model) => model?.routes.some((route) => providers.has(route.provider)))
}
