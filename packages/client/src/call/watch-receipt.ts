import type { PaymentBody } from '@farebox/api'
import { createParser } from 'eventsource-parser'
import { isEventStream } from '../http/is-event-stream.ts'
import { maxBytes } from '../http/max-bytes.ts'
import { parseJson } from '../http/read-json.ts'
import { paymentShape } from './body-shapes.ts'
import { asBody } from './read-response.ts'

/**
 * Returns the response, and reports the payment record in a stream of events, so that its cost is
 * known when another client reads the stream.
 */
export function watchReceipt(
  response: Response,
  onPayment: (payment: PaymentBody) => void,
): Response {
  const { body, status, statusText, headers } = response
  if (!isEventStream(response) || body === null || !headers.has('x-payment-id')) return response
  const decoder = new TextDecoder()
  const parser = createParser({
    onComment(text) {
      const payment = readPaymentComment(text)
      if (payment !== undefined) onPayment(payment)
    },
    onError({ type }) {
      // An event that is too large passes through, and is not kept here.
      if (type === 'max-buffer-size-exceeded') parser.reset()
    },
    maxBufferSize: maxBytes,
  })
  const watched = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      controller.enqueue(bytes)
      parser.feed(decoder.decode(bytes, { stream: true }))
    },
  })
  return new Response(body.pipeThrough(watched), { status, statusText, headers })
}

/** The payment record that a comment of an event stream contains. */
export function readPaymentComment(comment: string): PaymentBody | undefined {
  const text = /^\s*receipt (.*)$/s.exec(comment)?.[1]
  return asBody(parseJson(text ?? ''), paymentShape)
}
