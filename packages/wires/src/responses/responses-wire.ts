import type { Wire } from '../wire/wire.ts'
import { readResponsesRequest } from './read-responses-request.ts'

/** OpenAI's Responses interface: `POST /v1/responses`, without stored state. */
export const responsesWire: Wire = {
  read: readResponsesRequest,
  errorBody: ({ status, code, message, param }) => ({
    error: { message, type: errorType(status), code, param: param ?? null },
  }),
}

function errorType(status: number): string {
  if (status === 503) return 'service_unavailable'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}
