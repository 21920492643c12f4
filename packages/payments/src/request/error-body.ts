import type { PaymentRecord } from '@farebox/ledger'

const types = {
  400: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'invalid_request_error',
  500: 'api_error',
  503: 'service_unavailable',
} as const

export type ErrorDetails = {
  readonly status: keyof typeof types
  readonly code: string
  readonly message: string
  /** The header or field that is wrong. */
  readonly param?: string
}

/** The error for a paid request whose handler threw. */
export function handlerFailed({ id }: Pick<PaymentRecord, 'id'>): ErrorDetails {
  const message = `The request could not be served. Payment ${id} is refunded in full.`
  return { status: 500, code: 'handler_failed', message }
}

/** An error in the shape that OpenAI's clients read. */
export function errorBody({ status, code, message, param }: ErrorDetails): object {
  return { error: { message, type: types[status], code, param: param ?? null } }
}
