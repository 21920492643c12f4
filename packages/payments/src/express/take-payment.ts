import type { PaymentRecord } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { Request, Response } from 'express'
import type { ResponseHeaders } from '../gate/payment-gate.ts'
import type { ResourceInfo } from '../wire/payment-requirements.ts'
import { digestOf, paymentHeadersOf } from './paid-request.ts'
import type { Paywall } from './paywall.ts'
import { respondToAdmission } from './respond-to-admission.ts'

export type Taking<Body> = {
  readonly paywall: Paywall
  readonly request: Request<unknown, unknown, Body>
  readonly response: Response
  readonly resource: ResourceInfo
  readonly amount: Usdc
  /** What is sold, for the record of the payment. */
  readonly item: string
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
  /** Answers a request without a payment in its own way; false leaves it to the terms as JSON. */
  readonly showTerms?: (headers: ResponseHeaders) => boolean
}

/**
 * Takes the payment of a request and begins its one service. Undefined when there is nothing to
 * serve: then the request has been answered, or its client is gone and may come back for it.
 */
export async function takePayment<Body>(taking: Taking<Body>): Promise<PaymentRecord | undefined> {
  const { paywall, request, response, resource, amount, item, gone } = taking
  const admission = await paywall.gate.admit({
    headers: paymentHeadersOf(request),
    resource,
    offers: [{ amount, model: item, priceVersion: 'current' }],
    requestDigest: digestOf(request),
    challenge: {},
  })
  if (admission.status !== 'settled') {
    const shown = admission.status === 'required' && taking.showTerms?.(admission.headers) === true
    if (!shown) respondToAdmission(response, admission)
    return undefined
  }
  if (gone.aborted) {
    await paywall.gate.abandon(admission.payment)
    return undefined
  }
  const begun = await paywall.gate.begin(admission.payment)
  if (begun.status !== 'begun') {
    respondToAdmission(response, begun)
    return undefined
  }
  response.set(admission.headers)
  return begun.payment
}
