import type { FareboxError } from '../farebox-error.ts'

/**
 * An error as a response in the shape that the clients of OpenAI and Anthropic both read, so that
 * they show its message and its code instead of "Connection error".
 */
export function errorResponse({ code, message, status = 402, paymentId }: FareboxError): Response {
  const error = { message, type: 'invalid_request_error', code, param: null }
  return Response.json(
    { type: 'error', error },
    // The client must not retry the call automatically.
    {
      status,
      headers: {
        'x-should-retry': 'false',
        ...(paymentId !== undefined && { 'x-payment-id': paymentId }),
      },
    },
  )
}
