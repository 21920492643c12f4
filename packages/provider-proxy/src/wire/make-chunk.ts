import type { ChatChunk } from '@farebox/api'
import type { ChunkFrame } from './chat-wire.ts'

/** A chunk of a response with one choice. */
export function makeChunk(
  { id, created, model, provider }: ChunkFrame,
  delta: ChatChunk['choices'][number]['delta'],
): ChatChunk {
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    provider,
    choices: [{ index: 0, delta, finish_reason: null }],
  }
}
