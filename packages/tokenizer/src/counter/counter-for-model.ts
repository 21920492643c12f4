import { requireText } from '../vocabulary/require-argument.ts'
import type { CounterName } from './counter-name.ts'

/** The first match wins. */
const patterns: readonly (readonly [RegExp, CounterName])[] = [
  [/gpt-oss/, 'gpt-oss'],
  [/gpt-(3\.5|4(?![.o])(?!-?1))|text-embedding/, 'openai-cl100k'],
  [/gpt-4o|gpt-4\.1|gpt-4\.5|chatgpt-4o|gpt-audio/, 'openai-o200k'],
  [/(^|\/)(gpt-|o[1-9](-|$)|codex)/, 'openai-reasoning'],
  [/claude-(opus-4[.-][7-9]|opus-[5-9]|sonnet-[5-9]|fable-[5-9]|mythos|haiku-[6-9])/, 'claude-4.7'],
  [/claude-haiku-5/, 'claude-4.7'],
  [/claude/, 'claude'],
  [/gemini-(1|2[.-]0)/, 'gemini-2.0'],
  [/gemini|gemma/, 'gemini'],
  [/llama-?4/, 'llama4'],
  [/llama/, 'llama3'],
  [/mixtral|mistral-large-2407|mistral-7b/, 'mistral-spm'],
  [/(mistral|magistral)-small/, 'mistral-small'],
  [/mistral|ministral|codestral|devstral|magistral|pixtral|voxtral/, 'mistral'],
  [/qwen-?(2\.5|2|3)(?![.p\d])/, 'qwen'],
  [/qwen|qwq/, 'qwen-3.5'],
  [/deepseek/, 'deepseek'],
  [/grok-4[.-]3/, 'grok-4.3'],
  [/grok/, 'grok'],
  [/command-|cohere|aya-/, 'cohere'],
  [/kimi/, 'kimi'],
  [/glm-?5/, 'glm-5'],
  [/glm/, 'glm'],
  [/minimax/, 'minimax'],
  [/nova-/, 'nova'],
]

/** Returns the counter for a model id, for users without a catalog; `generic` if unknown. */
export function counterForModel(id: string): CounterName {
  const lower = requireText(id, 'id').toLowerCase()
  return patterns.find(([pattern]) => pattern.test(lower))?.[1] ?? 'generic'
}
