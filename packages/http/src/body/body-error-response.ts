import type { ErrorBody, ErrorCode, ImageErrorBody } from '@farebox/api'
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
  const { status, code, message, headers } = problemOf(body)
  return errorResponse(status, { code, message }, headers)
}

/** The same in the shape of the image endpoints; `overload` is its error name for 503. */
export function imageBodyErrorResponse(
  body: UnreadableBody,
  overload: 'ESTIMATE_ERROR' | 'GENERATION_ERROR',
): ErrorResponse<ImageErrorBody> {
  const { status, code, message, headers } = problemOf(body)
  const name = status === 503 ? overload : 'INVALID_REQUEST'
  return { ...imageErrorResponse(status, name, { code, message }), headers }
}

type BodyProblem = Pick<ErrorResponse, 'status' | 'headers'> & {
  readonly code: ErrorCode
  readonly message: string
}

function problemOf(body: UnreadableBody): BodyProblem {
  switch (body.status) {
    case 'absent': {
      const message = 'The request has no body. Send a JSON object.'
      return { status: 400, code: 'invalid_json', message, headers: {} }
    }
    case 'invalid':
      return { status: 400, code: body.code, message: body.message, headers: {} }
    case 'overloaded': {
      const headers = { 'Retry-After': '2' }
      return { status: 503, code: 'overloaded', message: overloaded[body.by], headers }
    }
    case 'timeout': {
      const message = 'The body did not arrive in time. This request moved no money. Repeat it.'
      // The connection is closed without reading the rest of the body.
      return { status: 408, code: 'request_timeout', message, headers: { Connection: 'close' } }
    }
  }
}

const overloaded = {
  service: 'The service is at capacity. This request moved no money. Repeat it.',
  client:
    'Your address has too many large requests open. This request moved no money. Repeat it when one of them has finished.',
} as const
