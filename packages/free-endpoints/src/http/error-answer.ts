import type { ErrorBody, ErrorCode, ErrorType, ImageErrorBody, ImageErrorName } from '@farebox/api'

/** An error as it goes to a client. */
export type ErrorAnswer<Body = ErrorBody | ImageErrorBody> = {
  readonly status: 400 | 404 | 405 | 500 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

const types: Readonly<Record<ErrorAnswer['status'], ErrorType>> = {
  400: 'invalid_request_error',
  404: 'invalid_request_error',
  405: 'invalid_request_error',
  500: 'api_error',
  503: 'service_unavailable',
}

/** An error in the shape that OpenAI's clients read. */
export function errorAnswer(
  status: ErrorAnswer['status'],
  error: { readonly code: ErrorCode; readonly message: string; readonly param?: string | null },
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer<ErrorBody> {
  const { code, message, param = null } = error
  return { status, headers, body: { error: { message, type: types[status], code, param } } }
}

/** An error in the shape of the image endpoints. */
export function imageErrorAnswer(
  status: ErrorAnswer['status'],
  error: ImageErrorName,
  detail: { readonly message: string; readonly details?: Readonly<Record<string, unknown>> },
): ErrorAnswer<ImageErrorBody> {
  const { message, details } = detail
  return {
    status,
    headers: {},
    body: { error, message, ...(details && { details: { ...details } }) },
  }
}
