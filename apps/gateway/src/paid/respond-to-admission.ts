import { noteErrorReason, sendError } from '@farebox/http'
import { publicPayment } from '@farebox/ledger'
import { admissionResponse, type NotAdmitted } from '@farebox/payments'
import type { Response } from 'express'
import type { PaidEndpoint } from './paid-endpoint.ts'
import { setStreamHeaders, streamContentType, withReceipt } from './stream-response.ts'

/** Answers a request that is not served: with the price, the earlier response, or an error. */
export function respondToAdmission(
  response: Response,
  admission: NotAdmitted,
  endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>,
): void {
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
