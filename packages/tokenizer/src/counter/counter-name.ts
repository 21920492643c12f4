/** All counters: a vocabulary, a family's framing, and factors if its own vocabulary is closed. */
export const counterNames = [
  'openai-o200k',
  'openai-cl100k',
  'openai-reasoning',
  'gpt-oss',
  'llama3',
  'llama4',
  'mistral',
  'mistral-small',
  'mistral-spm',
  'qwen',
  'qwen-3.5',
  'deepseek',
  'gemini',
  'gemini-2.0',
  'gemini-3.1',
  'claude',
  'claude-4.7',
  'grok',
  'grok-4.3',
  'cohere',
  'kimi',
  'glm',
  'glm-5',
  'minimax',
  'nova',
  'generic',
] as const

/** A catalog entry stores this name to select how its tokens are counted. */
export type CounterName = (typeof counterNames)[number]
