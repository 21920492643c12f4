import type { ChatChunk, PaymentBody } from '@farebox/api'
import { createParser } from 'eventsource-parser'
import { FareboxError } from '../farebox-error.ts'
import { serviceError } from '../http/api-error.ts'
import { maxBytes } from '../http/max-bytes.ts'
import { piecesOf } from '../http/pieces-of.ts'
import { isBrokenConnection, parseJson, tooLarge } from '../http/read-json.ts'
import type { PaymentReceipt } from '../pay/payment-receipt.ts'
import { chatChunkShape } from './body-shapes.ts'
import { asBody } from './read-response.ts'
import { readPaymentComment } from './watch-receipt.ts'

/** A streamed completion. Iterate it once; leaving the loop early cancels the call. */
export type ChatStream = AsyncIterable<ChatChunk> & {
  readonly receipt: PaymentReceipt | undefined
  /** The payment record that the gateway sends at the end of the stream; `undefined` until then. */
  payment(): PaymentBody | undefined
}

type StreamEvent =
  | { readonly kind: 'data'; readonly text: string }
  | { readonly kind: 'comment'; readonly text: string }

/**
 * Reads an event stream. Iterating throws the gateway's error if the stream reports one, and
 * `stream_truncated` if it ends without `[DONE]`: what was delivered is billed, the rest refunded.
 */
export function createChatStream(
  response: Response,
  onPayment: (payment: PaymentBody) => void,
): Omit<ChatStream, 'receipt'> {
  const paymentId = response.headers.get('x-payment-id') ?? undefined
  let payment: PaymentBody | undefined

  async function* chunks(): AsyncGenerator<ChatChunk> {
    for await (const event of events(response)) {
      if (event.kind === 'comment') {
        payment = readPaymentComment(event.text) ?? payment
        if (payment !== undefined) onPayment(payment)
      } else if (event.text === '[DONE]') return
      else yield readChunk(event.text, paymentId)
    }
    throw truncated(response)
  }

  const iterator = chunks()
  return {
    payment: () => payment,
    [Symbol.asyncIterator]: () => iterator,
  }
}

async function* events(response: Response): AsyncGenerator<StreamEvent> {
  const queue: StreamEvent[] = []
  const parser = createParser({
    onEvent: (event) => queue.push({ kind: 'data', text: event.data }),
    onComment: (text) => queue.push({ kind: 'comment', text }),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge(response)
    },
    maxBufferSize: maxBytes,
  })
  const decoder = new TextDecoder()
  try {
    for await (const bytes of piecesOf(response)) {
      parser.feed(decoder.decode(bytes, { stream: true }))
      yield* queue.splice(0)
    }
  } catch (error) {
    throw isBrokenConnection(error) ? truncated(response, error) : error
  }
}

function truncated({ headers }: Response, cause?: unknown): FareboxError {
  return new FareboxError(
    'stream_truncated',
    'The stream ended before the completion was finished.',
    { paymentId: headers.get('x-payment-id') ?? undefined, cause },
  )
}

function readChunk(text: string, paymentId: string | undefined): ChatChunk {
  const body = parseJson(text)
  const error = serviceError(body, { paymentId })
  if (error !== undefined) throw error
  const chunk = asBody(body, chatChunkShape)
  if (chunk !== undefined) return chunk
  throw new FareboxError('invalid_response', 'An event of the stream is not a valid chat chunk.', {
    paymentId,
  })
}
