import { event } from '../support/provider-server.ts'

/** An event of the Messages interface. */
export function named(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return event(data, data.type)
}

/** The first event, with the input that was counted. */
export const start = named({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'claude',
    stop_reason: null,
    usage: {
      input_tokens: 25,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 5,
      output_tokens: 1,
    },
  },
})

/** A block of a message with the pieces that fill it. */
export function block(index: number, content: object, ...deltas: readonly object[]): string {
  return [
    named({ type: 'content_block_start', index, content_block: content }),
    ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
    named({ type: 'content_block_stop', index }),
  ].join('')
}

/** The end of a message. */
export function finish(reason: string, usage: object = { output_tokens: 15 }): string {
  return (
    named({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage }) +
    named({ type: 'message_stop' })
  )
}

export const hello = block(
  0,
  { type: 'text', text: '' },
  { type: 'text_delta', text: 'Hello' },
  { type: 'text_delta', text: '!' },
)
