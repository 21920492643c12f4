import type { PaymentRecord } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { Request, Response } from 'express'
import type { ResponseHeaders } from '../gate/payment-gate.ts'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { invalidReplaySecret } from '../request/invalid-replay-secret.ts'
import { mayBeAbandoned } from '../request/may-be-abandoned.ts'
import { networkOf } from '../request/network-of.ts'
import { digestOf, paymentHeadersOf, type RequestContent } from '../request/paid-request.ts'
import type { ResourceInfo } from '../wire/payment-requirements.ts'
import { respondToAdmission } from './respond-to-admission.ts'
import { sendError } from './send-error.ts'

export type TakePaymentOptions<Body> = {
  readonly paywall: Paywall
  readonly request: Request<Request['params'], unknown, Body>
  readonly response: Response
  readonly resource: ResourceInfo
  readonly amount: Usdc
  /** What is sold, for the record of the payment. */
  readonly item: string
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal
  /** Sends the terms itself and returns true; false sends them as JSON. */
  readonly showTerms?: (headers: ResponseHeaders) => boolean
}

/**
 * Takes the payment of a request and begins its one service. Undefined when there is nothing to
 * serve: a response was sent, or the client disconnected and may repeat the request.
 */
export async function takePayment<Body>(
  options: TakePaymentOptions<Body>,
): Promise<PaymentRecord | undefined> {
  const { paywall, request, response, resource, amount, item, gone } = options
  const invalid = invalidReplaySecret(request)
  if (invalid !== undefined) {
    sendError(response, invalid)
    return undefined
  }
  const clientAddress = networkOf(request.ip)
  const admission = await paywall.gate.admit({
    headers: paymentHeadersOf(request),
    resource,
    offers: [{ amount, model: item, priceVersion: 'current' }],
    requestDigest: digestOf(contentOf(request)),
    challenge: {},
    isWanted: () => !gone.aborted,
    clientAddress,
  })
  if (admission.status !== 'settled') {
    const shown = admission.status === 'required' && options.showTerms?.(admission.headers) === true
    if (!shown) respondToAdmission(response, admission)
    return undefined
  }
  if (gone.aborted && mayBeAbandoned(admission.payment)) {
    await paywall.gate.abandon(admission.payment, 'client_left', clientAddress)
    return undefined
  }
  const begun = await paywall.gate.begin(admission.payment)
  if (begun.status !== 'begun') {
    respondToAdmission(response, begun)
    return undefined
  }
  response.set(admission.headers)
  // What was paid for is sent whole: Express would send 304, for the same price.
  delete request.headers['if-none-match']
  delete request.headers['if-modified-since']
  return begun.payment
}

function contentOf({
  method,
  originalUrl,
  body,
}: Pick<Request, 'method' | 'originalUrl' | 'body'>): RequestContent {
  return { method, path: originalUrl, body }
}
