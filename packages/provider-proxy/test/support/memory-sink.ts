import { type ChatChunk, chatChunkSchema } from '@farebox/api'
import type { StreamSink } from '../../src/index.ts'

/** A client that takes everything at once and keeps what it was sent. */
export type MemorySink = StreamSink & {
  readonly texts: readonly string[]
  close(): void
}

export function memorySink(): MemorySink {
  const texts: string[] = []
  const closing = new AbortController()
  return {
    texts,
    write(text) {
      texts.push(text)
      return true
    },
    drained: async () => undefined,
    closed: closing.signal,
    close: () => closing.abort(),
  }
}

/** The chunks among the texts that a client was sent. */
export function chunksOf(texts: readonly string[]): readonly ChatChunk[] {
  return texts
    .join('')
    .split(/(?<=\n\n)/)
    .filter((text) => text.startsWith('data: {'))
    .map((text) => chatChunkSchema.parse(JSON.parse(text.slice('data: '.length))))
}
