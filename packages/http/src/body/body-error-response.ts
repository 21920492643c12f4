import type { ErrorBody, ImageErrorBody } from '@farebox/api'
import {
  type ErrorResponse,
  errorResponse,
  imageErrorResponse,
} from '../response/error-response.ts'
import type { JsonBody } from './read-json-body.ts'

/** A body without JSON that a route could use. */
export type UnreadableBody = Exclude<JsonBody, { readonly status: 'json' }>

/** The error for a body that could not be read. */
export function bodyErrorResponse(body: UnreadableBody): ErrorResponse<ErrorBody> {
  switch (body.status) {
    case 'absent':
      return errorResponse(400, { code: 'invalid_json', message: absent })
    case 'invalid':
      return errorResponse(400, body)
    case 'overloaded':
      return errorResponse(503, { code: 'overloaded', message: full[body.by] }, retrySoon)
    case 'timeout':
      return errorResponse(408, { code: 'request_timeout', message: slow }, close)
  }
}

/** The same in the shape of the image endpoints; `overload` is its error name for 503. */
export function imageBodyErrorResponse(
  body: UnreadableBody,
  overload: 'ESTIMATE_ERROR' | 'GENERATION_ERROR',
): ErrorResponse<ImageErrorBody> {
  switch (body.status) {
    case 'absent':
      return imageErrorResponse(400, 'INVALID_REQUEST', { code: 'invalid_json', message: absent })
    case 'invalid':
      return imageErrorResponse(400, 'INVALID_REQUEST', { code: body.code, message: body.message })
    case 'overloaded':
      return {
        ...imageErrorResponse(503, overload, { code: 'overloaded', message: full[body.by] }),
        headers: retrySoon,
      }
    case 'timeout':
      return {
        ...imageErrorResponse(408, 'INVALID_REQUEST', { code: 'request_timeout', message: slow }),
        headers: close,
      }
  }
}

const absent = 'The request has no body. Send a JSON object.'
const full = {
  service: 'The service is at capacity. No money moved. Retry the request.',
  client:
    'Your address has too many large requests open. No money moved. Retry when one of them has finished.',
} as const
const slow = 'The body did not arrive in time. No money moved. Retry the request.'
const retrySoon = { 'Retry-After': '2' }
/** The connection is closed without reading the rest of the body. */
const close = { Connection: 'close' }
