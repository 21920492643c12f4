import { requireText } from '../vocabulary/require-argument.ts'
import type { CounterName } from './counter-name.ts'

/** The first match wins. */
const patterns: readonly (readonly [RegExp, CounterName])[] = [
  [/gpt-oss/, 'gpt-oss'],
  [/gpt-(3\.?5|4-1106|4(?![.o])(?!-?1))|text-embedding/, 'openai-cl100k'],
  [/gpt-4o|gpt-4[.-]?1|gpt-4\.5|chatgpt-4o|gpt-audio/, 'openai-o200k'],
  [/(^|[/:])(gpt-|o[1-9]([-:]|$)|codex)/, 'openai-reasoning'],
  [/claude-(opus-4[.-][7-9]|opus-[5-9]|sonnet-[5-9]|fable-[5-9]|mythos|haiku-[6-9])/, 'claude-4.7'],
  [/claude-haiku-5/, 'claude-4.7'],
  [/claude-(4[.-][7-9]|[5-9](\.\d)?)-[a-z]/, 'claude-4.7'], // OpenRouter's claude-4.7-opus-20260416
  [/claude/, 'claude'],
  [/gemini-(1|2[.-]0)/, 'gemini-2.0'],
  [/gemini-(live-)?2[.-]5|gemini-3-(pro|flash)-preview|gemma-?3(?![\d.np])/, 'gemini'],
  [/gemini|gemma/, 'gemini-3.1'],
  [/llama-?(guard-?)?4(?!\d)/, 'llama4'],
  [/(code|tiny)-?llama|llama-?v?2(?!\d)/, 'generic'],
  [/(?<!o)llama/, 'llama3'],
  [/mixtral|mathstral|mistral-7b|mistral-large$|pixtral-large/, 'mistral-spm'],
  [/(mistral-(small|medium|large)|codestral)-(instruct-)?2[34]\d\d/, 'mistral-spm'],
  [/(mistral|magistral)-small/, 'mistral-small'],
  [/mistral|ministral|codestral|devstral|magistral|pixtral|voxtral/, 'mistral'],
  [/qwen-?(2\.5|2|3)(?![.p\d])/, 'qwen'],
  [/qwen|qwq/, 'qwen-3.5'],
  [/deepseek-(coder|llm|math|moe|v2|vl)/, 'generic'],
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

/**
 * Returns the counter for a model id, for users without a catalog: with or without a maker or host
 * before it, in any case. `generic` for an unknown model, and for one older than the vocabulary of
 * its family.
 *
 * @throws TypeError for an id that is not a string.
 */
export function counterForModel(id: string): CounterName {
  const lower = requireText(id, 'id').toLowerCase()
  return patterns.find(([pattern]) => pattern.test(lower))?.[1] ?? 'generic'
}
