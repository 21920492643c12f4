import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { createParser } from 'eventsource-parser'
import { isRecord } from '../pay/is-record.ts'
import { parse } from './api-error.ts'

/**
 * Passes an event stream on as it is, and reports the payment's cost from its receipt, so that it is known
 * when another client reads the stream. Other responses are returned as they are.
 */
export function watchReceipt(
  response: Response,
  onCost: (paymentId: string, cost: Usdc) => void,
): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || response.body === null || !response.headers.has('x-payment-id')) return response
  const decoder = new TextDecoder()
  const parser = createParser({
    onComment(text) {
      const receipt = readReceiptComment(text)
      if (receipt !== undefined) onCost(receipt.paymentId, receipt.cost)
    },
  })
  const watched = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      controller.enqueue(bytes)
      parser.feed(decoder.decode(bytes, { stream: true }))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(watched), { status, statusText, headers })
}

function readReceiptComment(
  comment: string,
): { readonly paymentId: string; readonly cost: Usdc } | undefined {
  const payment = parse(/^\s*receipt (.*)$/s.exec(comment)?.[1] ?? '')
  if (!isRecord(payment) || !isRecord(payment['cost'])) return undefined
  const { id, cost } = payment
  const { usdc } = cost
  return typeof id === 'string' && typeof usdc === 'string' && /^\d{1,20}$/.test(usdc)
    ? { paymentId: id, cost: parseAtomicUsdc(usdc) }
    : undefined
}
