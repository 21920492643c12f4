import type { ChatModel, ProviderName } from '@farebox/catalogs'

/** For models that do not think first, in milliseconds: long prompts and queues take a minute. */
const withoutReasoning = 120_000

/** Servers of the operator, which may be slow and may not stream. */
const ownServer = /^(custom|ollama|vllm)/

/** How long a model may take until its first token; undefined leaves it to the provider's timeout. */
export function firstTokenTimeout(
  { reasoning }: Pick<ChatModel, 'reasoning'>,
  provider: ProviderName,
): number | undefined {
  return reasoning === 'none' && !ownServer.test(provider) ? withoutReasoning : undefined
}
