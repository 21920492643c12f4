import { finished } from 'node:stream/promises'
import { type BodyBudget, clientAddress, noteErrorReason, sendError } from '@farebox/http'
import { publicPayment } from '@farebox/ledger'
import { admissionResponse, type NotAdmitted } from '@farebox/payments'
import type { Response } from 'express'
import type { EndpointError, PaidEndpoint } from './paid-endpoint.ts'
import { setStreamHeaders, streamContentType, withReceipt } from './stream-response.ts'

type DeclineParts = {
  readonly endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>
  /** What responses that are sent again count in until they are read. */
  readonly budget: BodyBudget
}

/** Answers a request that is not served: with the price, the earlier response, or an error. */
export function decline(
  response: Response,
  admission: NotAdmitted,
  { endpoint, budget }: DeclineParts,
): void {
  if (admission.status === 'replayed') {
    const bytes = admission.answer.body.length
    const ended = () => finished(response).catch(() => undefined)
    if (budget.use(clientAddress(response.req), { bytes, ended }) !== 'held') {
      return sendError(response, endpoint.errorResponse(unread(admission.payment.id)))
    }
  }
  const outcome = admissionResponse(admission)
  response.status(outcome.status).set(outcome.headers)
  if (outcome.type === 'error') {
    return sendError(response, endpoint.errorResponse({ status: outcome.status, ...outcome.error }))
  }
  if (outcome.reason !== undefined) noteErrorReason(response, outcome.reason)
  if (admission.status === 'replayed' && isStream(admission.answer)) {
    setStreamHeaders(response)
    const body = Buffer.from(admission.answer.body).toString('utf8')
    response.end(withReceipt(body, publicPayment(admission.payment)))
    return
  }
  if (outcome.type === 'replay') response.end(outcome.body)
  else response.json(outcome.body)
}

function isStream({ contentType }: { readonly contentType: string }): boolean {
  return contentType.startsWith(streamContentType)
}

/** One payment may ask for its response many times, and read none of them. */
function unread(paymentId: string): EndpointError {
  return {
    status: 503,
    code: 'overloaded',
    message:
      'Too many large responses wait to be read. The payment is complete. Repeat the request when one of them has been read.',
    headers: { 'Retry-After': '2', 'X-Payment-Id': paymentId },
  }
}
