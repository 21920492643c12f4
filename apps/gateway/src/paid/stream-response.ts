import type { ServerResponse } from 'node:http'
import { type PublicPayment, publicPayment } from '@farebox/ledger'
import type { ServiceEnd } from '@farebox/payments'
import { receiptText } from '@farebox/provider-proxy'

export const streamContentType = 'text/event-stream'

const streamHeaders = {
  'Content-Type': streamContentType,
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
} as const

/**
 * Makes a response a text event stream, exactly as specified: Express would add a charset. Node adds
 * `Connection: keep-alive`, unless the client asked for another.
 */
export function setStreamHeaders(response: Pick<ServerResponse, 'setHeader'>): void {
  for (const [name, value] of Object.entries(streamHeaders)) response.setHeader(name, value)
}

/**
 * Where the receipt was, in the stream that is kept: a comment, which no other text of a stream
 * equals, since JSON escapes line breaks.
 */
export const receiptPlace = ': payment\n\n'

/** A kept stream with a receipt of the payment's current state, where the first answer had one. */
export function withReceipt(body: string, payment: PublicPayment): string {
  const at = body.lastIndexOf(receiptPlace)
  if (at < 0) return body
  return body.slice(0, at) + receiptText(payment) + body.slice(at + receiptPlace.length)
}

/** What the end of a paid response carries: its headers, and the receipt of a stream. */
export function withReceiptOf({ headers, payment }: ServiceEnd) {
  return { headers, receipt: () => receiptText(publicPayment(payment)) }
}
