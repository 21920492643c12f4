import { sendError } from '@farebox/http'
import type { StoredAnswer } from '@farebox/ledger'
import { publicPayment } from '@farebox/ledger'
import type { Admission } from '@farebox/payments'
import type { Response } from 'express'
import type { PaidEndpoint, RouteError } from './paid-endpoint.ts'
import { setStreamHeaders, streamContentType, withReceipt } from './recorded-answer.ts'

type Unserved = Exclude<Admission, { readonly status: 'settled' }>
type Settled = Extract<Admission, { readonly status: 'settled' }>

/** The answer of a request that is not served now: the price, an earlier answer, or why not. */
export function answerUnserved(
  response: Response,
  admission: Unserved,
  endpoint: Pick<PaidEndpoint<never>, 'errorAnswer'>,
): void {
  switch (admission.status) {
    case 'required':
    case 'rejected':
      response.status(402).set(admission.headers).json(admission.body)
      return
    case 'replayed':
      return replay(response, admission)
    default:
      response.set('headers' in admission ? admission.headers : {})
      return sendError(response, endpoint.errorAnswer(errorOf(admission)))
  }
}

/** Somebody else is serving the payment at this moment. */
export function inFlight({ payment, headers }: Settled): Unserved {
  return { status: 'pending', payment, headers, code: 'payment_in_flight', retryAfterSeconds: 2 }
}

function errorOf(
  admission: Exclude<Unserved, { readonly status: 'required' | 'rejected' | 'replayed' }>,
): RouteError {
  switch (admission.status) {
    case 'malformed':
      return {
        status: 400,
        code: admission.code,
        message: admission.message,
        param: admission.param,
      }
    case 'pending':
      return {
        status: 503,
        code: admission.code,
        message: pendingMessages[admission.code].replace('{id}', admission.payment.id),
        headers: { 'Retry-After': String(admission.retryAfterSeconds) },
      }
    case 'unavailable':
      return {
        status: 503,
        code: admission.code,
        message: 'Payments cannot be taken just now. No money moved. Repeat the request.',
        headers: { 'Retry-After': String(admission.retryAfterSeconds) },
      }
    case 'spent':
      return {
        status: 400,
        code: admission.code,
        message: spentMessages[admission.code].replace('{id}', admission.payment.id),
      }
  }
}

const pendingMessages = {
  payment_in_flight:
    'Payment {id} is being served to an identical request. Repeat the request after Retry-After.',
  settlement_unknown:
    'Whether payment {id} went through is not known yet. Repeat the identical request after Retry-After: it is served once, or refunded in full.',
} as const

const spentMessages = {
  authorization_used:
    'The authorisation bought an answer that is no longer kept: payment {id}. Sign a new one.',
  authorization_reused:
    'The authorisation belongs to another request: payment {id}. Sign a new one for this request.',
} as const

function replay(
  response: Response,
  admission: Extract<Unserved, { readonly status: 'replayed' }>,
): void {
  const { answer: stored, payment, headers } = admission
  response.status(stored.statusCode).set(headers).set('Content-Type', stored.contentType)
  if (!isStream(stored)) {
    response.set('Cache-Control', 'private, no-store').end(Buffer.from(stored.body))
    return
  }
  const body = Buffer.from(stored.body).toString('utf8')
  setStreamHeaders(response)
  response.end(withReceipt(body, publicPayment(payment)))
}

function isStream(stored: StoredAnswer): boolean {
  return stored.contentType.startsWith(streamContentType)
}
