import type { Vocabulary } from '../engine/table/table-file.ts'

/** Source: the `o200k_harmony` entry of OpenAI's tiktoken. */
const special: Readonly<Record<string, string>> = {
  199998: '<|startoftext|>',
  199999: '<|endoftext|>',
  200002: '<|return|>',
  200003: '<|constrain|>',
  200005: '<|channel|>',
  200006: '<|start|>',
  200007: '<|end|>',
  200008: '<|message|>',
  200012: '<|call|>',
  200018: '<|endofprompt|>',
}

/** The vocabulary of gpt-oss: that of `o200k_base` with other special tokens. */
export function withHarmonyHeader(vocabulary: Vocabulary): Vocabulary {
  return { ...vocabulary, header: { ...vocabulary.header, encoding: 'o200k_harmony', special } }
}
