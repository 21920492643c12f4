import type { ServerResponse } from 'node:http'
import { type PublicPayment, publicPayment } from '@farebox/ledger'
import type { ServiceEnd } from '@farebox/payments'
import { doneText, receiptText } from '@farebox/provider-proxy'

export const streamContentType = 'text/event-stream'

const streamHeaders = {
  'Content-Type': streamContentType,
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
} as const

/** Makes a response a text event stream, exactly as specified: Express would add a charset. */
export function setStreamHeaders(response: Pick<ServerResponse, 'setHeader'>): void {
  for (const [name, value] of Object.entries(streamHeaders)) response.setHeader(name, value)
}

/**
 * A kept stream with a receipt of the payment's current state before its end mark. A stream that
 * broke has no end mark and gets no receipt.
 */
export function withReceipt(body: string, payment: PublicPayment): string {
  if (!body.endsWith(doneText)) return body
  return body.slice(0, -doneText.length) + receiptText(payment) + doneText
}

/** What the end of a paid response carries: its headers, and the receipt of a stream. */
export function withReceiptOf({ headers, payment }: ServiceEnd) {
  return { headers, receipt: () => receiptText(publicPayment(payment)) }
}
