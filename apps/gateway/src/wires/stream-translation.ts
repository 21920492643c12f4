import { type ChatChunk, chatChunkSchema, errorSchema } from '@farebox/api'
import type { ReplyStream } from '@farebox/wires'

export type StreamTranslation = {
  /** Whole events of a chat stream as the events of another interface; comments stay as they are. */
  readonly translate: (text: string) => string
}

const data = 'data: '

/** Translates a stream that this service wrote itself: one line of data an event. */
export function createStreamTranslation(reply: ReplyStream): StreamTranslation {
  function translateEvent(event: string): string {
    if (!event.startsWith(data)) return `${event}\n\n`
    const payload = event.slice(data.length)
    if (payload === '[DONE]') return reply.end()
    const value: unknown = JSON.parse(payload)
    const failure = errorSchema.safeParse(value)
    if (failure.success) {
      const { code, message } = failure.data.error
      return reply.fail({ status: 500, code, message })
    }
    return reply.push(chunkOf(value))
  }

  return {
    translate: (text) =>
      text
        .split('\n\n')
        .filter((event) => event !== '')
        .map(translateEvent)
        .join(''),
  }
}

function chunkOf(value: unknown): ChatChunk {
  return chatChunkSchema.parse(value)
}
