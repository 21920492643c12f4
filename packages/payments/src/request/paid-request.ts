import { createHash } from 'node:crypto'
import type { PaymentHeaders } from '../gate/payment-gate.ts'

/** The headers of a request: Express's own `get`, or that of `Headers`. */
export type RequestHeaders = { get(name: string): string | null | undefined }

/** The headers of a request that may carry a payment. */
export function paymentHeadersOf(headers: RequestHeaders): PaymentHeaders {
  return {
    'payment-signature': headers.get('payment-signature') ?? undefined,
    'x-payment': headers.get('x-payment') ?? undefined,
    'x-replay-secret': headers.get('x-replay-secret') ?? undefined,
  }
}

export type RequestAddress = { readonly origin: string; readonly path: string }

/** The URL that a 402 shows, without its query, since it has to fit into a header. */
export function resourceUrlOf(
  { origin, path }: RequestAddress,
  publicUrl: string | undefined,
): string {
  return (publicUrl?.replace(/\/+$/, '') ?? origin) + path.replace(/\?.*$/s, '')
}

export type RequestContent = {
  readonly method: string
  /** Includes the query. */
  readonly path: string
  readonly body?: unknown
}

/** What a payment buys: method, address and body, as one hash. */
export function digestOf({ method, path, body }: RequestContent): string {
  const hash = createHash('sha256').update(JSON.stringify([method, path]))
  if (body instanceof Uint8Array) hash.update(body)
  else hash.update(JSON.stringify(body ?? null))
  return hash.digest('hex')
}
