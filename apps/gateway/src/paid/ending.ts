import type { KeptAnswer } from '@farebox/payments'
import type { Response } from 'express'
import { receiptPlace, streamContentType } from './stream-response.ts'

/** The end of a response: it is held back until cost and refund are durable. */
export type Ending =
  | { readonly type: 'json'; readonly statusCode: number; readonly body: string }
  | {
      readonly type: 'stream'
      /** The text that the client was sent; null if it is too large to be kept. */
      readonly sent: string | null
      /** The text that is still to be sent, with the receipt in its place. */
      readonly rest: (receipt: string) => string
    }
  /** The client disconnected before the first byte. */
  | { readonly type: 'none' }

/** Larger responses are not kept. */
export const maxKeptBytes: number = 8 * 1024 * 1024
const jsonContentType = 'application/json; charset=utf-8'

/** The whole response, to be replayed; `null` when the client disconnected or it is too large. */
export function keptAnswer(ending: Ending): KeptAnswer | null {
  switch (ending.type) {
    case 'json':
      return kept(ending.statusCode, jsonContentType, ending.body)
    case 'stream':
      // A replay adds its own receipt, of the payment's state at that time.
      if (ending.sent === null) return null
      return kept(200, streamContentType, ending.sent + ending.rest(receiptPlace))
    case 'none':
      return null
  }
}

function kept(statusCode: number, contentType: string, text: string): KeptAnswer | null {
  if (text.length > maxKeptBytes) return null
  const body = Buffer.from(text)
  return body.length > maxKeptBytes ? null : { statusCode, contentType, body }
}

export type Finish = {
  /** Not sent if the response has begun. */
  readonly headers: Readonly<Record<string, string>>
  /** The receipt that a stream sends before its end mark; empty without a payment. */
  readonly receipt: () => string
}

/** Sends the end of a response whose cost is durable. */
export function finish(response: Response, ending: Ending, { headers, receipt }: Finish): void {
  if (!response.headersSent) response.set(headers)
  switch (ending.type) {
    case 'json':
      response
        .status(ending.statusCode)
        .set({ 'Content-Type': jsonContentType, 'Cache-Control': 'private, no-store' })
        .end(ending.body)
      return
    case 'stream':
      response.end(ending.rest(receipt()))
      return
    case 'none':
      return
  }
}
