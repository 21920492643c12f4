import { z } from 'zod'

/** Every `code` that an error of the chat endpoints and of the service as a whole can carry. */
export const errorCodes = {
  missing_field: 'A required field is absent.',
  invalid_field: 'A field has a value that is not allowed.',
  unknown_field: 'A field is not known here.',
  unpriced_field: 'A field could raise the price of the call and has no price here.',
  unsupported_field: 'The chosen model or its provider cannot honour a field.',
  invalid_http: 'The request is not HTTP as the service reads it, or its headers are too large.',
  invalid_json: 'The body is not JSON, or is nested or repeated beyond reason.',
  body_too_large: 'The body is larger than the service reads.',
  model_not_found: 'There is no such model.',
  context_length_exceeded: 'Input and max_tokens together exceed the context of the model.',
  max_tokens_exceeded: 'max_tokens exceeds what the model can answer.',
  invalid_payment: 'The payment header cannot be read.',
  authorization_used: 'The authorisation bought an answer that is no longer kept.',
  authorization_reused: 'The authorisation belongs to another request.',
  payment_in_flight: 'The identical request is being served. Repeat it after Retry-After.',
  settlement_unknown: 'Whether the payment went through is not known yet. Repeat the request.',
  payments_unavailable: 'Payments cannot be taken just now. No money moved.',
  model_unavailable: 'No provider can serve the model just now. No money moved.',
  sales_stopped: 'Nothing is sold until somebody has looked at the accounts. No money moved.',
  overloaded: 'The service is at its capacity. No money moved.',
  shutting_down: 'The service is about to stop. No money moved.',
  upstream_unavailable: 'The provider failed. Everything paid is refunded.',
  upstream_rejected: 'The provider refused the request. Everything paid is refunded.',
  upstream_timeout: 'The provider did not answer in time. Everything paid is refunded.',
  upstream_truncated: 'The provider broke off. What was delivered is billed, the rest refunded.',
  not_found: 'There is no such path or payment.',
  method_not_allowed: 'The path does not take this method.',
  internal_error: 'The service failed. Anything paid is refunded.',
} as const satisfies Readonly<Record<string, string>>

export type ErrorCode = keyof typeof errorCodes

export type ErrorType = 'invalid_request_error' | 'api_error' | 'service_unavailable'

/** The body of every 400, 404, 405, 500 and 503 outside of the image endpoints. */
export const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.enum(['invalid_request_error', 'api_error', 'service_unavailable']),
    code: z.string(),
    param: z.string().nullable().optional(),
  }),
  payment: z.looseObject({}).optional().describe('The payment that the error is about'),
})

/** The body of every error of the image endpoints but 402 and 429. */
export const imageErrorSchema = z.object({
  error: z.enum([
    'INVALID_DIMENSIONS',
    'INVALID_MODEL',
    'INVALID_REQUEST',
    'ESTIMATE_ERROR',
    'GENERATION_ERROR',
  ]),
  message: z.string(),
  details: z.looseObject({}).optional(),
})

export const rateLimitErrorSchema = z.object({
  error: z.literal('Too many requests'),
  code: z.literal('RATE_LIMITED'),
})

export const paymentRequiredSchema = z.looseObject({
  statusCode: z.literal(402),
  error: z.string(),
  message: z.string(),
  x402Version: z.literal(1),
  accepts: z.array(z.looseObject({})),
  quote: z.looseObject({}).optional(),
})

export type ErrorBody = z.output<typeof errorSchema>
export type ImageErrorBody = z.output<typeof imageErrorSchema>
export type ImageErrorName = ImageErrorBody['error']
