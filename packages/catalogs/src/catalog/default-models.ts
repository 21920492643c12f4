/**
 * The models for requests that name none: the first that is available is used. All are current,
 * accept a temperature and tools, and cost far less for 4,096 output tokens than the ten cents
 * above which x402 clients refuse to pay. The first comes first because four providers also sell it
 * at the quoted price, it writes the longest output the API allows, it accepts every request field,
 * and its vocabulary is open, so its tokens are counted exactly.
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

/** The only image model with a published price at all three common sizes; fast, with steps. */
export const defaultImageModel = 'tongyi-mai/z-image-turbo'
