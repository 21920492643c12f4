import type { ChunkFrame } from './chat-wire.ts'

/** An id for a tool call that came without one: unique across responses, at most 40 characters. */
export function generatedCallId({ id }: ChunkFrame, choice: number, position: number): string {
  return `call_${id.replaceAll(/[^A-Za-z0-9]/g, '').slice(-24)}_${choice}_${position}`
}
