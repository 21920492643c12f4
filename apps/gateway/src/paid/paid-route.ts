import { type BodyBudget, readJsonBody, sendError } from '@farebox/http'
import type { PaymentGate } from '@farebox/payments'
import type { RequestHandler, Response } from 'express'
import type { OpenRequest, OpenRequests } from './open-requests.ts'
import type { PaidEndpoint } from './paid-endpoint.ts'
import type { RefundFault } from './refund-fault.ts'
import { respondToAdmission } from './respond-to-admission.ts'

export type PaidDeps = {
  readonly gate: PaymentGate
  readonly budget: BodyBudget
  /** The address of this service, without a slash at the end. */
  readonly publicUrl: string
  readonly openRequests: OpenRequests
  readonly refundFault: RefundFault
  /** Whether nothing new may be sold. */
  readonly salesStopped: () => boolean
}

/** A route that is paid for. Once the gateway is stopping it takes nothing new. */
export function paidRoute<Sale>(endpoint: PaidEndpoint<Sale>, deps: PaidDeps): RequestHandler {
  const handle = paidRequest(endpoint, deps)
  return async function handlePaidRoute(request, response) {
    const open = deps.openRequests.enter(response)
    if (open === undefined) return sendError(response, endpoint.errorAnswer(stopping))
    try {
      await handle(request, response, open)
    } finally {
      open.leave()
    }
  }
}

/** The whole of a paid request: parse → quote → admit → begin → serve, bill and refund. */
function paidRequest<Sale>(
  endpoint: PaidEndpoint<Sale>,
  { gate, budget, publicUrl, refundFault, salesStopped }: PaidDeps,
) {
  const { description, mimeType } = endpoint
  const resource = { url: publicUrl + endpoint.path, description, mimeType }

  return async (
    request: Parameters<RequestHandler>[0],
    response: Response,
    { signal, giveUp }: OpenRequest,
  ): Promise<void> => {
    const body = await readJsonBody(request, budget)
    const priced = await endpoint.quote(body, signal)
    if (priced.status === 'refused') return sendError(response, priced.answer)

    const { sale, offers, digest: requestDigest, challenge } = priced
    const headers = paymentHeaders(request.headers)
    const closed = salesStopped() ? stopped : undefined
    if (headers === undefined && closed !== undefined) {
      return sendError(response, endpoint.errorAnswer(closed))
    }
    const unavailable = closed ?? (headers === undefined ? undefined : endpoint.unavailable(sale))
    const admission = await gate.admit({
      headers: headers ?? {},
      resource,
      offers,
      requestDigest,
      salesStoppedReason: unavailable?.code,
      challenge,
    })
    if (admission.status === 'unavailable' && unavailable !== undefined) {
      return sendError(response, endpoint.errorAnswer(unavailable))
    }
    if (admission.status !== 'settled') return respondToAdmission(response, admission, endpoint)
    // A client that is gone may come back for what it paid; until then nothing is spent on it.
    if (signal.aborted) return gate.abandon(admission.payment)
    const begun = await gate.begin(admission.payment)
    if (begun.status !== 'begun') return respondToAdmission(response, begun, endpoint)

    const served = { payment: begun.payment, response, headers: admission.headers, signal, giveUp }
    try {
      await endpoint.serve(sale, served)
    } catch (error) {
      await refundFault(error, served, endpoint)
    }
  }
}

function paymentHeaders(headers: Parameters<RequestHandler>[0]['headers']) {
  const signature = headers['payment-signature']
  const legacy = headers['x-payment']
  if (signature === undefined && legacy === undefined) return undefined
  return { 'payment-signature': oneOf(signature), 'x-payment': oneOf(legacy) }
}

/** Node joins repeated headers; a payment header that was repeated cannot be decoded. */
function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}

const stopping = {
  status: 503,
  code: 'shutting_down',
  message: 'The service is about to stop. No money moved. Repeat the request.',
  headers: { 'Retry-After': '2' },
} as const

const stopped = {
  status: 503,
  code: 'sales_stopped',
  message:
    'Nothing is sold until the operator has looked at the accounts. No money moved. Repeat the request later.',
  headers: { 'Retry-After': '60' },
} as const
