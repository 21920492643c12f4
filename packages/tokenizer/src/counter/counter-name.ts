/** Every counter: a vocabulary, the framing of a model family, and factors where it is closed. */
export const counterNames = [
  'openai-o200k',
  'openai-cl100k',
  'openai-reasoning',
  'gpt-oss',
  'llama3',
  'llama4',
  'mistral',
  'mistral-spm',
  'qwen',
  'qwen-3.5',
  'deepseek',
  'gemini',
  'claude',
  'claude-4.7',
  'grok',
  'cohere',
  'kimi',
  'glm',
  'minimax',
  'nova',
  'generic',
] as const

/** What a catalog entry stores to say how its tokens are counted. */
export type CounterName = (typeof counterNames)[number]
