import type { ErrorBody, ErrorCode, ErrorType, ImageErrorBody, ImageErrorName } from '@farebox/api'
import type { Response } from 'express'
import { noteErrorReason } from './error-reason.ts'

/** An error as it goes to a client. */
export type ErrorResponse<Body extends object = object> = {
  readonly status: 400 | 404 | 405 | 408 | 429 | 500 | 503
  readonly headers: Readonly<Record<string, string>>
  /** The stable code of what is wrong, also where the shape of the body has none. */
  readonly code: string
  readonly body: Body
}

const types: Readonly<Record<ErrorResponse['status'], ErrorType>> = {
  400: 'invalid_request_error',
  404: 'invalid_request_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  429: 'invalid_request_error',
  500: 'api_error',
  503: 'service_unavailable',
}

/** An error in the shape that OpenAI's clients read. */
export function errorResponse(
  status: ErrorResponse['status'],
  error: { readonly code: ErrorCode; readonly message: string; readonly param?: string | null },
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse<ErrorBody> {
  const { code, message, param = null } = error
  return { status, headers, code, body: { error: { message, type: types[status], code, param } } }
}

/** An error in the shape of the image endpoints; `code` if it is more precise than the name. */
export function imageErrorResponse(
  status: ErrorResponse['status'],
  error: ImageErrorName,
  detail: {
    readonly message: string
    readonly details?: Readonly<Record<string, unknown>>
    readonly code?: ErrorCode
  },
): ErrorResponse<ImageErrorBody> {
  const { message, code } = detail
  const details = code === undefined ? detail.details : { code, ...detail.details }
  return {
    status,
    headers: {},
    code: code ?? error,
    body: { error, message, ...(details && { details: { ...details } }) },
  }
}

/** Sends an error and notes its code, unless the response has already started. */
export function sendError(
  response: Response,
  { status, headers, code, body }: ErrorResponse,
): void {
  if (response.headersSent) return
  noteErrorReason(response, code)
  response.status(status).set('Cache-Control', 'no-store').set(headers).json(body)
}
