import type { ChatChunk, ChatUsage } from '@farebox/api'
import type { ChoiceEnd } from '../provider/choice-end.ts'

/** An error as OpenAI clients read it, in a body or inside a stream. */
export type WireError = {
  readonly message: string
  readonly type: string
  readonly code: string
  readonly param?: string | null
}

/**
 * One chunk of a stream, with the fields that OpenAI always sends. OpenRouter's SDK rejects a chunk
 * whose fingerprint is not a string. JSON escapes line breaks, so no text in it can end the event.
 */
export function chunkText({ choices, ...chunk }: ChatChunk): string {
  const system_fingerprint = chunk.system_fingerprint ?? ''
  const complete = choices.map((choice) => ({ logprobs: null, ...choice }))
  return `data: ${JSON.stringify({ ...chunk, system_fingerprint, choices: complete })}\n\n`
}

/** The last chunk: every finish reason, and the usage where there is one, in one event. */
export function finalChunk(
  frame: Pick<ChatChunk, 'id' | 'created' | 'model' | 'provider' | 'system_fingerprint'>,
  finishReasons: readonly ChoiceEnd[],
  usage: ChatUsage | null,
): ChatChunk {
  const { id, created, model, provider, system_fingerprint } = frame
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    provider,
    system_fingerprint,
    choices: finishReasons.map(({ index, reason, stopSequence }) => ({
      index,
      delta: {},
      finish_reason: reason,
      ...(stopSequence !== undefined && { stop_sequence: stopSequence }),
    })),
    ...(usage !== null && { usage }),
  }
}

/** The comment that carries the payment record; clients skip comments. */
export function receiptText(record: object): string {
  return `: receipt ${JSON.stringify(record)}\n\n`
}

/** The end mark of a complete stream. */
export const doneText = 'data: [DONE]\n\n'

/** The end of an incomplete stream: without an end mark, so no client takes it for complete. */
export function streamErrorText(error: WireError): string {
  return `data: ${JSON.stringify({ error })}\n\n`
}

/** Keeps the connection alive between events; clients skip comments. */
export const heartbeatText = ': keep-alive\n\n'
