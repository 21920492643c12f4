import { type PaymentRecord, publicPayment, type StoredAnswer } from '@farebox/ledger'
import { receiptText } from '@farebox/provider-proxy'
import type { Response } from 'express'
import { streamContentType } from './stream-response.ts'

/** The end of a response: it is held back until cost and refund are durable. */
export type Ending =
  | { readonly type: 'json'; readonly statusCode: number; readonly body: string }
  | {
      readonly type: 'stream'
      /** The text that the client was sent. */
      readonly sent: string
      /** The text that is still to be sent, with the receipt in its place. */
      readonly rest: (receipt: string) => string
    }
  /** The client disconnected before the first byte. */
  | { readonly type: 'none' }

/** How finished responses are kept for a client that lost them. */
export type ResponseKeeping = {
  readonly replaySeconds: number
  readonly now: () => number
}

/** Larger responses are not kept. */
const maxKeptBytes = 8 * 1024 * 1024
const jsonContentType = 'application/json; charset=utf-8'

/** The whole response, to be replayed; `null` when it is not kept. */
export function keptResponse(
  ending: Ending,
  { replaySeconds, now }: ResponseKeeping,
): StoredAnswer | null {
  if (ending.type === 'none' || replaySeconds === 0) return null
  const { statusCode, contentType, text } = wholeResponse(ending)
  const body = Buffer.from(text)
  if (body.length > maxKeptBytes) return null
  return { statusCode, contentType, body, expiresAt: now() + replaySeconds * 1000 }
}

/** A replay puts in its own receipt, of the payment's state at that time. */
function wholeResponse(ending: Exclude<Ending, { readonly type: 'none' }>) {
  return ending.type === 'json'
    ? { statusCode: ending.statusCode, contentType: jsonContentType, text: ending.body }
    : { statusCode: 200, contentType: streamContentType, text: ending.sent + ending.rest('') }
}

/** Sends the end of a response whose payment is written down. */
export function finish(response: Response, ending: Ending, payment: PaymentRecord): void {
  switch (ending.type) {
    case 'json':
      response
        .status(ending.statusCode)
        .set({ 'Content-Type': jsonContentType, 'Cache-Control': 'private, no-store' })
        .end(ending.body)
      return
    case 'stream':
      response.end(ending.rest(receiptText(publicPayment(payment))))
      return
    case 'none':
      return
  }
}
