import type { ChatChunk, PaymentBody } from '@farebox/api'
import { createParser } from 'eventsource-parser'

export type StreamEvents = {
  readonly onText: (text: string) => void
  readonly onReasoning: (text: string) => void
  /** The payment as the last comment of the stream tells it. */
  readonly onReceipt: (payment: PaymentBody) => void
}

/** How a stream ended: complete with `[DONE]`, or broken, in the service's words. */
export type StreamEnd =
  | { readonly status: 'complete' }
  | { readonly status: 'broken'; readonly message: string }

type Failure = { readonly error?: { readonly message: string } }

/** Reads the events of a streamed chat completion. */
export async function readStream(response: Response, events: StreamEvents): Promise<StreamEnd> {
  let end: StreamEnd = { status: 'broken', message: 'The connection broke off.' }
  const parser = createParser({
    onComment: (comment) => {
      const text = comment.trim()
      if (text.startsWith('receipt ')) {
        events.onReceipt(JSON.parse(text.slice('receipt '.length)) as PaymentBody)
      }
    },
    onEvent: ({ data }) => {
      if (data === '[DONE]') {
        end = { status: 'complete' }
        return
      }
      const { error, choices } = JSON.parse(data) as ChatChunk & Failure
      if (error) end = { status: 'broken', message: error.message }
      const delta = error ? undefined : choices[0]?.delta
      if (delta?.content) events.onText(delta.content)
      if (delta?.reasoning) events.onReasoning(delta.reasoning)
    },
  })
  if (response.body === null) return end
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return end
    parser.feed(value)
  }
}
