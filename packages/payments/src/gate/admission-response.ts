import type { NotAdmitted, ResponseHeaders } from './payment-gate.ts'

/** An admission that serves nothing, as HTTP. An error is sent in the shape of the route. */
export type AdmissionResponse =
  /** The terms, in the fields of both protocols. */
  | {
      readonly type: 'terms'
      readonly status: 402
      readonly headers: ResponseHeaders
      readonly body: Readonly<Record<string, unknown>>
      /** Why the payment was not accepted, as a stable code; undefined without a payment. */
      readonly reason: string | undefined
    }
  /** The response that the payment bought before. */
  | {
      readonly type: 'replay'
      readonly status: number
      readonly headers: ResponseHeaders
      readonly body: Uint8Array
      /** Why the service failed, as a stable code; undefined if it did not. */
      readonly reason: string | undefined
    }
  | {
      readonly type: 'error'
      readonly status: 400 | 429 | 503
      readonly headers: ResponseHeaders
      readonly error: AdmissionError
    }

export type AdmissionError = {
  readonly code: Extract<NotAdmitted, { readonly code: string }>['code']
  readonly message: string
}

/** Maps an admission that serves nothing to HTTP: the only place that does. */
export function admissionResponse(admission: NotAdmitted): AdmissionResponse {
  switch (admission.status) {
    case 'required':
    case 'rejected':
      return {
        type: 'terms',
        status: 402,
        headers: admission.headers,
        body: admission.body,
        reason: admission.reason,
      }
    case 'replayed': {
      const { statusCode: status, contentType, body } = admission.answer
      const reason = admission.payment.reason ?? undefined
      const headers = { 'Content-Type': contentType, 'Cache-Control': 'private, no-store' }
      return { type: 'replay', status, headers: { ...admission.headers, ...headers }, body, reason }
    }
    case 'spent':
      return { type: 'error', status: 400, headers: admission.headers, error: errorOf(admission) }
    case 'pending':
      return { type: 'error', status: 503, headers: admission.headers, error: errorOf(admission) }
    case 'limited':
    case 'unavailable': {
      const { code, message, retryAfterSeconds } = admission
      const status = admission.status === 'limited' ? 429 : 503
      const headers = { 'Retry-After': `${retryAfterSeconds}` }
      return { type: 'error', status, headers, error: { code, message } }
    }
  }
}

type Claimed = Extract<NotAdmitted, { readonly status: 'spent' | 'pending' }>

function errorOf({ code, payment }: Claimed): AdmissionError {
  return { code, message: claimedMessages[code](payment) }
}

const ofAnotherRequest = 'belongs to another request, whose path, body or X-Replay-Secret differs'

type Named = Pick<Claimed['payment'], 'id' | 'clientPaymentId' | 'status'>

/** A payment with an identifier is found by it too, so another authorization alone changes nothing. */
const claimedMessages: Readonly<Record<Claimed['code'], (payment: Named) => string>> = {
  payment_in_flight: ({ id }) =>
    `Payment ${id} is being served to an identical request. Repeat the request after Retry-After.`,
  settlement_unknown: ({ id, status }) => {
    const isUndecided = status === 'settling' || status === 'unknown'
    const problem = isUndecided
      ? `It is not known yet whether payment ${id} settled.`
      : `Payment ${id} cannot be continued right now: the ledger failed.`
    return `${problem} Repeat the identical request after Retry-After: it is served once, or refunded in full.`
  },
  authorization_used: ({ id, clientPaymentId, status }) => {
    const [identifier, another] =
      clientPaymentId === null
        ? ['', '']
        : [' or its payment identifier', ' with another identifier']
    return status === 'failed'
      ? `Payment ${id} failed and is refunded in full. Sign a new authorization${another}.`
      : `The authorization${identifier} paid for a response that is not kept: payment ${id}. Sign a new one${another}.`
  },
  authorization_reused: ({ clientPaymentId }) =>
    clientPaymentId === null
      ? `The authorization ${ofAnotherRequest}. Sign a new one for this request.`
      : `The authorization or its payment identifier ${ofAnotherRequest}. Sign a new one with another identifier for this request.`,
}
