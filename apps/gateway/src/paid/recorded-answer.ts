import type { ServerResponse } from 'node:http'
import type { PublicPayment, StoredAnswer } from '@farebox/ledger'
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

/** How finished answers are kept for a client that lost them. */
export type AnswerKeeping = {
  readonly replaySeconds: number
  readonly now: () => number
}

/** Answers larger than this are not kept. */
const maxKeptBytes = 8 * 1024 * 1024

/** An answer to keep; `null` when none is to be kept, or it is too large to keep. */
export function keepAnswer(
  answer: Pick<StoredAnswer, 'statusCode' | 'contentType'> & { readonly body: string },
  { replaySeconds, now }: AnswerKeeping,
): StoredAnswer | null {
  const body = Buffer.from(answer.body)
  if (replaySeconds === 0 || body.length > maxKeptBytes) return null
  return { ...answer, body, expiresAt: now() + replaySeconds * 1000 }
}

/**
 * A kept stream with the payment as it stands now put before its end mark. A stream that broke has
 * no end mark, and gets none.
 */
export function withReceipt(body: string, payment: PublicPayment): string {
  if (!body.endsWith(doneText)) return body
  return body.slice(0, -doneText.length) + receiptText(payment) + doneText
}
