import { type ErrorResponse, errorResponse } from '@farebox/http'
import type { EndpointError } from '../paid/paid-endpoint.ts'

/** An error in the shape that OpenAI's clients read. */
export function chatError({ status, headers, ...error }: EndpointError): ErrorResponse {
  return errorResponse(status, error, headers)
}
