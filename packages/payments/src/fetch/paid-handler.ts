import type { PaymentRecord } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { ResponseHeaders } from '../gate/payment-gate.ts'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { checkPaywall, checkSale, saleOptions } from '../request/check-sale.ts'
import { checkedPrice } from '../request/checked-amounts.ts'
import { errorBody, handlerFailed } from '../request/error-body.ts'
import { invalidReplaySecret } from '../request/invalid-replay-secret.ts'
import { mayBeAbandoned } from '../request/may-be-abandoned.ts'
import { networkOf } from '../request/network-of.ts'
import { digestOf, paymentHeadersOf, resourceUrlOf } from '../request/paid-request.ts'
import { SaleError } from '../request/sale-error.ts'
import { billResponse, type Delivery, readServed, type ServedResponse } from './bill-response.ts'
import { notAdmittedResponse } from './not-admitted-response.ts'
import { readBody } from './read-body.ts'

/** What one handler sells, and how. `Context` is what the server passes besides the request. */
export type HandlerSale<Context = unknown> = {
  readonly description: string
  readonly mimeType?: string
  /** A longer body gets a 413. 1 MiB by default. */
  readonly maxBodyBytes?: number
  /** The most that this request may cost. Equal requests must have equal prices. */
  readonly price: (request: Request) => Usdc | Promise<Usdc>
  /** Serves a paid request, once. If it throws, everything is refunded. */
  readonly serve: (
    request: Request,
    paid: { readonly payment: PaymentRecord; readonly signal: AbortSignal },
  ) => Promise<ServedResponse>
  /**
   * The IP address of the client, which a `Request` does not have: it limits what the payers of one network
   * can cost in gas. Not from a header that the client could set. Without it, only what all payers
   * cost together is limited.
   */
  readonly clientAddress?: (request: Request, context: Context) => string | undefined
  /**
   * Receives what `serve`, its stream or its cost threw. The response only states that the payment is
   * refunded.
   */
  readonly onFault?: (error: unknown, payment: PaymentRecord) => void
}

/** A handler of the web standard: a route handler of Next, `app.fetch` of Hono, `Deno.serve`. */
export type PaidHandler<Context = unknown> = (
  request: Request,
  ...context: unknown extends Context ? [context?: unknown] : [context: Context]
) => Promise<Response>

const defaultMaxBodyBytes = 1_048_576

const options = { ...saleOptions, maxBodyBytes: 'number', clientAddress: 'function' } as const

/**
 * Sells a handler of requests: one payment buys one response, over any number of replicas; the
 * response streams; and the difference between price and cost is refunded. A JSON response is
 * stored, and sent again to the identical request.
 *
 * @throws {SaleError} `invalid_option` for an option that is unknown or cannot work.
 */
export function paidHandler<Context = unknown>(
  paywall: Paywall,
  sale: HandlerSale<Context>,
): PaidHandler<Context> {
  checkPaywall(paywall)
  checkSale(sale, options)
  const { maxBodyBytes = defaultMaxBodyBytes } = sale
  // No body is longer than NaN.
  if (!(maxBodyBytes >= 0))
    throw new SaleError('invalid_option', 'maxBodyBytes must be zero or above')
  return async function handlePaidRequest(request, ...[context]) {
    const body = await readBody(request, maxBodyBytes)
    if (body === undefined) {
      const message = `The body is larger than ${maxBodyBytes} bytes. Send a smaller one.`
      const error = { status: 413, code: 'body_too_large', message } as const
      return Response.json(errorBody(error), { status: 413 })
    }
    const invalid = invalidReplaySecret(request.headers)
    if (invalid !== undefined) return Response.json(errorBody(invalid), { status: invalid.status })
    const copyRequest = (): Request => copyOf(request, body)
    const clientAddress = networkOf(sale.clientAddress?.(request, context as Context))
    const paid = { paywall, sale, request, copyRequest, clientAddress }
    const admission = await admit(paid, body)
    return admission instanceof Response ? admission : await serve(paid, admission)
  }
}

type PaidRequest = {
  readonly paywall: Paywall
  readonly sale: Omit<HandlerSale, 'clientAddress'>
  readonly request: Request
  /** Copies the request, with its body unread. */
  readonly copyRequest: () => Request
  readonly clientAddress: string | undefined
}

type Admitted = { readonly payment: PaymentRecord; readonly headers: ResponseHeaders }

function copyOf({ url, method, headers, signal }: Request, body: Uint8Array<ArrayBuffer>): Request {
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(url, { method, headers, signal, ...(hasBody && { body }) })
}

/** Takes the payment and begins its one service, or returns the response to send instead. */
async function admit(
  { paywall, sale, request, copyRequest, clientAddress }: PaidRequest,
  body: Uint8Array,
): Promise<Admitted | Response> {
  const { gate, publicUrl } = paywall
  const { origin, pathname, search } = new URL(request.url)
  const { description, mimeType = 'application/json' } = sale
  const amount = checkedPrice(await sale.price(copyRequest()))
  const admission = await gate.admit({
    headers: paymentHeadersOf(request.headers),
    resource: {
      url: resourceUrlOf({ origin, path: pathname }, publicUrl),
      description,
      mimeType,
    },
    offers: [{ amount, model: pathname, priceVersion: 'current' }],
    requestDigest: digestOf({ method: request.method, path: pathname + search, body }),
    challenge: {},
    isWanted: () => !request.signal.aborted,
    clientAddress,
  })
  if (admission.status !== 'settled') return notAdmittedResponse(admission)
  if (request.signal.aborted && mayBeAbandoned(admission.payment)) {
    await gate.abandon(admission.payment, 'client_left', clientAddress)
    return new Response(null, { status: 499 })
  }
  const begun = await gate.begin(admission.payment)
  if (begun.status !== 'begun') return notAdmittedResponse(begun)
  return { payment: begun.payment, headers: admission.headers }
}

async function serve(
  { paywall: { gate }, sale, request, copyRequest, clientAddress }: PaidRequest,
  { payment, headers }: Admitted,
): Promise<Response> {
  const copy = copyRequest()
  const onFault = (error: unknown): void => sale.onFault?.(error, payment)
  let delivery: Delivery
  try {
    delivery = await readServed(await sale.serve(copy, { payment, signal: request.signal }))
  } catch (error) {
    // The refund does not depend on the observer.
    const failing = gate.fail(payment, {
      reason: 'handler_failed',
      answer: null,
      ...(request.signal.aborted && { faultOf: 'payer', clientAddress }),
    })
    const end = await failing.finally(() => onFault(error))
    const body = errorBody(handlerFailed(payment))
    return Response.json(body, { status: 500, headers: { ...headers, ...end.headers } })
  }
  return await billResponse({
    gate,
    payment,
    headers,
    delivery,
    requests: [request, copy],
    onFault,
  })
}
