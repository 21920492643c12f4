import type { ChatChunk } from '@farebox/api'
import type { ReasoningDetail } from './reasoning-token.ts'

type Delta = ChatChunk['choices'][number]['delta']

/** A source, and the range of the text that cites it; 0 if that is not known. */
export type Citation = NonNullable<Delta['annotations']>[number]['url_citation']

/** One piece of an answer, in the order in which it was generated. */
export type AnswerPiece =
  | { readonly kind: 'reasoning'; readonly detail: ReasoningDetail }
  | { readonly kind: 'text'; readonly text: string; readonly logprobs: readonly unknown[] }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'citation'; readonly citation: Citation }
  | { readonly kind: 'picture'; readonly url: string }
  | {
      readonly kind: 'call'
      readonly index: number
      readonly id: string | undefined
      readonly name: string | undefined
      readonly args: string
    }

/** The pieces of a chunk's first choice: these interfaces have one answer per request. */
export function answerPieces({ choices }: ChatChunk): readonly AnswerPiece[] {
  const choice = choices.find(({ index }) => index === 0)
  if (choice === undefined) return []
  const { content, refusal, annotations = [], images = [], tool_calls: calls = [] } = choice.delta
  const logprobs = logprobsOf(choice)
  // A token that is part of a character has a log probability, and no text yet.
  const hasText = Boolean(content) || logprobs.length > 0
  return [
    ...reasoningPieces(choice.delta),
    ...(hasText ? [{ kind: 'text' as const, text: content ?? '', logprobs }] : []),
    ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...annotations.map((given) => ({ kind: 'citation' as const, citation: given.url_citation })),
    ...images.map(({ image_url }) => ({ kind: 'picture' as const, url: image_url.url })),
    ...calls.map((call) => ({
      kind: 'call' as const,
      index: call.index,
      id: call.id,
      name: call.function?.name,
      args: call.function?.arguments ?? '',
    })),
  ]
}

/** `reasoning` repeats the text of the steps, unless none has any: Gemini's are encrypted. */
function reasoningPieces({
  reasoning,
  reasoning_details: details = [],
}: Delta): readonly AnswerPiece[] {
  const isRepeated = details.some(({ text, summary }) => text || summary)
  const own = reasoning && !isRepeated ? [{ type: 'reasoning.text', text: reasoning }] : []
  return [...own, ...details].map((detail) => ({ kind: 'reasoning', detail }))
}

function logprobsOf({ logprobs }: ChatChunk['choices'][number]): readonly unknown[] {
  const isListed = typeof logprobs === 'object' && logprobs !== null && 'content' in logprobs
  return isListed && Array.isArray(logprobs.content) ? logprobs.content : []
}

/** The text of a step, whichever field holds it. */
export function stepText({ text, summary }: ReasoningDetail): string {
  return text ?? summary ?? ''
}

/**
 * Whether a piece continues the previous step. Encrypted data comes complete, and a signature ends the
 * text that it signs: some providers give every step the same index.
 */
export function isSameStep(before: ReasoningDetail, piece: ReasoningDetail): boolean {
  if (before.type !== piece.type || (before.index ?? 0) !== (piece.index ?? 0)) return false
  if (before['data'] !== undefined || piece['data'] !== undefined) return false
  if (before['signature'] !== undefined && piece.text !== undefined) return false
  return before['id'] === undefined || piece['id'] === undefined || before['id'] === piece['id']
}

/** A step with its next piece: texts are joined, other fields replaced. */
export function joinStep(before: ReasoningDetail, piece: ReasoningDetail): ReasoningDetail {
  const text = joined(before.text, piece.text)
  const summary = joined(before.summary, piece.summary)
  return {
    ...before,
    ...piece,
    ...(text !== undefined && { text }),
    ...(summary !== undefined && { summary }),
  }
}

function joined(before: string | undefined, piece: string | undefined): string | undefined {
  return before === undefined && piece === undefined ? undefined : (before ?? '') + (piece ?? '')
}
