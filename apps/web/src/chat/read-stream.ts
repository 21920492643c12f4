import type { ChatChunk, PaymentBody } from '@farebox/api'
import { createParser } from 'eventsource-parser'
import { readReply } from '../service/call-service.ts'

export type StreamEvents = {
  readonly onText: (text: string) => void
  readonly onReasoning: (text: string) => void
  /** The payment, from the last comment of the stream. */
  readonly onReceipt: (payment: PaymentBody) => void
}

/** How a stream ended: complete with `[DONE]`, broken by the service, or lost with its connection. */
export type StreamEnd =
  | { readonly status: 'complete'; readonly finishReason: string | undefined }
  | { readonly status: 'broken'; readonly message: string }
  | LostConnection

export type LostConnection = { readonly status: 'lost'; readonly message: string }

export const lostConnection: LostConnection = {
  status: 'lost',
  message: 'The connection was lost.',
}

type Failure = { readonly error?: { readonly message: string } }

/** Reads the events of a streamed chat completion. */
export async function readStream(response: Response, events: StreamEvents): Promise<StreamEnd> {
  let end: StreamEnd = lostConnection
  let finishReason: string | undefined
  const parser = createParser({
    onComment: (comment) => {
      const text = comment.trim()
      if (!text.startsWith('receipt ')) return
      const receipt = readReply<PaymentBody>(text.slice('receipt '.length))
      if (receipt.status === 'ok') events.onReceipt(receipt.body)
    },
    onEvent: ({ data }) => {
      if (data === '[DONE]') {
        end = { status: 'complete', finishReason }
        return
      }
      const chunk = readReply<ChatChunk & Failure>(data)
      if (chunk.status === 'refused') {
        end = { status: 'broken', message: chunk.message }
        return
      }
      const { error, choices } = chunk.body
      if (error) end = { status: 'broken', message: error.message }
      const choice = error ? undefined : choices[0]
      const delta = choice?.delta
      if (delta?.content) events.onText(delta.content)
      if (delta?.refusal) events.onText(delta.refusal)
      if (delta?.reasoning) events.onReasoning(delta.reasoning)
      finishReason = choice?.finish_reason ?? finishReason
    },
  })
  if (response.body === null) return end
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const read = await reader.read().catch(unlessStopped)
    if (read?.done !== false) return end
    parser.feed(read.value)
  }
}

/** A connection that breaks ends the stream where it is; a visitor who stops it ends the sale. */
export function unlessStopped(error: unknown): undefined {
  if (error instanceof DOMException && error.name === 'AbortError') throw error
}
