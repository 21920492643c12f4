import { createHash } from 'node:crypto'
import type { PaymentHeaders } from '../gate/payment-gate.ts'

/** What is read of a request; a part of Express's own. */
export type PaidRequest = {
  readonly method: string
  readonly originalUrl: string
  readonly protocol: string
  readonly host: string
  readonly body?: unknown
  get(name: string): string | undefined
}

export function paymentHeadersOf(request: PaidRequest): PaymentHeaders {
  return {
    'payment-signature': request.get('payment-signature'),
    'x-payment': request.get('x-payment'),
    'x-replay-secret': request.get('x-replay-secret'),
  }
}

/** Where it is sold, without its query: a header has to hold it. */
export function resourceUrlOf(request: PaidRequest, publicUrl: string | undefined): string {
  const origin = publicUrl?.replace(/\/+$/, '') ?? `${request.protocol}://${request.host}`
  return origin + request.originalUrl.replace(/\?.*$/s, '')
}

/** What a payment buys: method, address and parsed body, as one hash. */
export function digestOf({ method, originalUrl, body }: PaidRequest): string {
  const hash = createHash('sha256').update(JSON.stringify([method, originalUrl]))
  if (body instanceof Uint8Array) hash.update(body)
  else hash.update(JSON.stringify(body ?? null))
  return hash.digest('hex')
}
