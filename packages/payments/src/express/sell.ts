import type { PaymentRecord } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { Request, RequestHandler, Response } from 'express'
import type { KeptAnswer, ServedOutcome } from '../gate/payment-gate.ts'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { checkPaywall, checkSale, saleOptions } from '../request/check-sale.ts'
import { checkedCost, checkedPrice } from '../request/checked-amounts.ts'
import { handlerFailed } from '../request/error-body.ts'
import { networkOf } from '../request/network-of.ts'
import { resourceUrlOf } from '../request/paid-request.ts'
import { SaleError } from '../request/sale-error.ts'
import { abortSignalOf } from './abort-signal-of.ts'
import { addressOf } from './address-of.ts'
import { sendError } from './send-error.ts'
import { takePayment } from './take-payment.ts'

type PaidRequest<Body> = Request<Request['params'], unknown, Body>

/** What one route sells, and how. */
export type Sale<Body> = {
  readonly description: string
  readonly mimeType?: string
  /** The most that this request may cost. Equal requests must have equal prices. */
  readonly price: (request: PaidRequest<Body>) => Usdc | Promise<Usdc>
  /**
   * Serves a paid request: writes to `response` as output arrives, or returns it as `json`. `sell`
   * ends the response once the cost is durable, and refunds what was paid beyond the cost: await what
   * writes to it, such as `pipeline`, since `pipe` and `sendFile` return before they have written.
   * If `serve` throws, everything is refunded. `signal` aborts when the client disconnects: return the
   * cost until then. If `serve` throws instead, all that was sent is given away.
   */
  readonly serve: (
    request: PaidRequest<Body>,
    response: Response,
    paid: { readonly payment: PaymentRecord; readonly signal: AbortSignal },
  ) => Promise<Served>
  /** Receives what `serve` threw. The response only states that the payment is refunded. */
  readonly onFault?: (error: unknown, payment: PaymentRecord) => void
}

export type Served = { readonly cost: Usdc; readonly json?: unknown }

/**
 * Sells a route: one payment buys one response, over any number of replicas; the response streams;
 * and the difference between price and cost is refunded. Put the body parser before it.
 *
 * @throws {SaleError} `invalid_option` for an option that is unknown or cannot work.
 */
export function sell<Body = unknown>(
  paywall: Paywall,
  sale: Sale<Body>,
): RequestHandler<Request['params'], unknown, Body> {
  checkPaywall(paywall)
  checkSale(sale, saleOptions)
  const { description, mimeType = 'application/json', price } = sale
  return async function handlePaidRequest(request, response) {
    const gone = abortSignalOf(response)
    const payment = await takePayment({
      paywall,
      request,
      response,
      gone,
      resource: {
        url: resourceUrlOf(addressOf(request), paywall.publicUrl),
        description,
        mimeType,
      },
      amount: checkedPrice(await price(request)),
      item: request.path,
    })
    if (payment === undefined) return
    response.set('Cache-Control', 'private, no-store')
    await serveSale({ paywall, sale, request, response, payment, gone })
  }
}

type Serving<Body> = {
  readonly paywall: Paywall
  readonly sale: Sale<Body>
  readonly request: PaidRequest<Body>
  readonly response: Response
  readonly payment: PaymentRecord
  readonly gone: AbortSignal
}

async function serveSale<Body>(serving: Serving<Body>): Promise<void> {
  const { paywall, sale, request, response, payment, gone } = serving
  let served: Served
  let outcome: ServedOutcome
  try {
    // Plain JavaScript may return nothing.
    served = { ...(await sale.serve(request, response, { payment, signal: gone })) }
    outcome = outcomeOf(served, response)
  } catch (error) {
    // The refund does not depend on the observer.
    return await refundInFull(serving).finally(() => sale.onFault?.(error, payment))
  }
  const { json } = served
  const { headers } = await paywall.gate.complete(payment, outcome)
  if (!response.headersSent) response.set(headers)
  if (json === undefined) response.end()
  else response.json(json)
}

/** Refunds everything. A response that has begun is cut off, which the client sees as a failure. */
async function refundInFull<Body>(serving: Serving<Body>): Promise<void> {
  const { paywall, request, response, payment, gone } = serving
  const { headers } = await paywall.gate.fail(payment, {
    reason: 'handler_failed',
    answer: null,
    ...(gone.aborted && { faultOf: 'payer', clientAddress: networkOf(request.ip) }),
  })
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.set(headers)
  sendError(response, handlerFailed(payment))
}

function outcomeOf({ cost, json }: Served, { headersSent, statusCode }: Response): ServedOutcome {
  if (json !== undefined && headersSent) throw new SaleError('answer_sent')
  const answer = json === undefined ? null : keptJson(statusCode, json)
  return { cost: checkedCost(cost), usage: null, answer }
}

function keptJson(statusCode: number, json: unknown): KeptAnswer {
  return {
    statusCode,
    contentType: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(json)),
  }
}
