import type { ChatChunk } from '@farebox/api'

/**
 * A step of reasoning, or a piece of one, in OpenRouter's shape: `text` with its `signature`,
 * a `summary`, or encrypted `data`, with the `id` of the tool call that it belongs to.
 */
export type ReasoningDetail = NonNullable<
  ChatChunk['choices'][number]['delta']['reasoning_details']
>[number]

/** The formats of what only its own provider can read; OpenRouter uses the first two as well. */
export const reasoningFormats = {
  anthropic: 'anthropic-claude-v1',
  gemini: 'google-gemini-v1',
  deepSeek: 'deepseek-v1',
  moonshot: 'moonshot-v1',
} as const

/** Whether a piece has what only its provider can make: a signature, or encrypted data. */
export function isSeal(detail: ReasoningDetail): boolean {
  return detail['signature'] !== undefined || detail['data'] !== undefined
}

/** A piece without its text. */
export function sealOf({
  text: _text,
  summary: _summary,
  ...seal
}: ReasoningDetail): ReasoningDetail {
  return seal
}
