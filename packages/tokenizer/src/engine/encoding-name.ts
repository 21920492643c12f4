/** All supported vocabularies, in the order of the README's table. */
export const encodingNames = [
  'o200k_base',
  'o200k_harmony',
  'cl100k_base',
  'p50k_base',
  'r50k_base',
  'qwen',
  'deepseek',
  'tekken',
  'llama3',
  'gemma3',
] as const

/**
 * A vocabulary by name. `llama3` and `gemma3` require files of the user; the others are shipped.
 */
export type EncodingName = (typeof encodingNames)[number]
