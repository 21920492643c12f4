import type { PaymentRecord } from '@farebox/ledger'
import type { Response } from 'express'
import type { Admission, ResponseHeaders } from '../gate/payment-gate.ts'

/** Somebody was faster by a moment with the same payment. */
type Taken = {
  readonly status: 'taken'
  readonly payment: PaymentRecord
  readonly headers: ResponseHeaders
}

export type Unserved = Exclude<Admission, { readonly status: 'settled' }> | Taken

/** Answers a request that is not served now: with the price, the answer of before, or why not. */
export function answerUnserved(response: Response, admission: Unserved): void {
  if ('headers' in admission) response.set(admission.headers)
  switch (admission.status) {
    case 'required':
    case 'rejected':
      response.status(402).json(admission.body)
      return
    case 'replayed': {
      const { statusCode, contentType, body } = admission.answer
      response.set({ 'Cache-Control': 'private, no-store', 'Content-Type': contentType })
      response.status(statusCode).end(body)
      return
    }
    case 'malformed':
      return sendError(response, { ...admission, status: 400 })
    case 'spent':
      return sendError(response, {
        status: 400,
        code: admission.code,
        message: `The authorization bought something before: payment ${admission.payment.id}. Sign a new one.`,
      })
    case 'pending':
      response.set('Retry-After', `${admission.retryAfterSeconds}`)
      return sendError(response, {
        status: 503,
        code: admission.code,
        message: `Payment ${admission.payment.id} is not decided yet. Repeat the identical request.`,
      })
    case 'taken':
      response.set('Retry-After', '2')
      return sendError(response, {
        status: 503,
        code: 'payment_in_flight',
        message: `Payment ${admission.payment.id} is being served. Repeat the identical request.`,
      })
    case 'unavailable':
      response.set('Retry-After', `${admission.retryAfterSeconds}`)
      return sendError(response, {
        status: 503,
        code: admission.code,
        message: 'Payments cannot be taken just now. No money moved.',
      })
  }
}

export type ErrorAnswer = {
  readonly status: 400 | 500 | 503
  readonly code: string
  readonly message: string
  readonly param?: string
}

const types = {
  400: 'invalid_request_error',
  500: 'api_error',
  503: 'service_unavailable',
} as const

export function sendError(response: Response, { status, code, message, param }: ErrorAnswer): void {
  response
    .status(status)
    .json({ error: { message, type: types[status], code, param: param ?? null } })
}
