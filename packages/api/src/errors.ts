import { z } from 'zod'

/** Every error `code` of the chat endpoints and of the service as a whole. */
export const errorCodes = {
  missing_field: 'A required field is missing.',
  invalid_field: 'A field has an invalid value.',
  unknown_field: 'The request has an unknown field.',
  unpriced_field: 'A field can change the cost of the call and is not supported.',
  unsupported_field: 'The model or its provider does not support a field.',
  invalid_http: 'The request is not valid HTTP, or its headers are too large.',
  invalid_json: 'The body is not valid JSON, or is nested too deeply or repeats too much.',
  body_too_large: 'The body is too large.',
  request_timeout: 'The request did not arrive in time. This request moved no money.',
  model_not_found: 'The model does not exist.',
  context_length_exceeded: 'Input and max_tokens together exceed the context length of the model.',
  max_tokens_exceeded: 'max_tokens exceeds the maximum output of the model.',
  invalid_payment: 'The payment header is not valid.',
  authorization_used:
    'The authorization was used: its response is not stored, or its payment is refunded.',
  authorization_reused: 'The authorization belongs to another request.',
  payment_in_flight: 'The same request is being served. Repeat it after Retry-After.',
  settlement_unknown: 'It is not known yet whether the payment settled. Repeat the request.',
  payments_unavailable: 'Payments are temporarily unavailable. This request moved no money.',
  balance_in_use:
    'Other payments of the payer are in flight and may use up its balance. No money moved.',
  payer_limit_reached: 'The payer has reached a limit of the operator. No money moved.',
  model_unavailable: 'The model is temporarily unavailable. This request moved no money.',
  sales_stopped:
    'Sales are stopped until an operator has checked the accounts. This request moved no money.',
  overloaded: 'The service is at capacity. This request moved no money.',
  starting: 'The service is starting. This request moved no money.',
  shutting_down: 'The service is shutting down. This request moved no money.',
  upstream_unavailable: 'The provider failed. The payment is refunded in full.',
  upstream_rejected: 'The provider rejected the request. The payment is refunded in full.',
  upstream_timeout: 'The provider did not respond in time. The payment is refunded in full.',
  upstream_truncated:
    'The provider stopped early. The delivered part is billed, the rest is refunded.',
  service_stopped:
    'The service stopped. What a stream has delivered is billed and the rest refunded; an answer that is not streamed is refunded in full.',
  preconfirmation_lost:
    'The payment was preconfirmed but not proven. The stream ends; anything paid is refunded.',
  not_found: 'The path or payment does not exist.',
  method_not_allowed: 'The path does not support this method.',
  internal_error: 'The service failed. Anything paid is refunded.',
} as const satisfies Readonly<Record<string, string>>

/** A key of `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes

/** The kind of an error, as OpenAI names it. */
export type ErrorType = 'invalid_request_error' | 'api_error' | 'service_unavailable'

/** The payment of a provider's failure, which is refunded in full. */
const concernedPayment = z
  .looseObject({})
  .optional()
  .describe('The payment that the error concerns')

/** The body of every 404 and 405, and of the other errors of paths that have no other shape. */
export const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.enum(['invalid_request_error', 'api_error', 'service_unavailable']),
    code: z.string(),
    param: z.string().nullable().optional(),
  }),
  payment: concernedPayment,
})

/** The body of every 400, 408, 500 and 503 of the image endpoints. */
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
  payment: concernedPayment,
})

/** The body of every error of the Messages paths but 402: Anthropic's shape. */
export const messagesErrorSchema = z.object({
  type: z.literal('error'),
  error: z.object({
    type: z.enum([
      'invalid_request_error',
      'billing_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'overloaded_error',
      'api_error',
    ]),
    message: z.string(),
    details: z.looseObject({}).optional(),
  }),
  request_id: z.string().optional(),
  payment: concernedPayment,
})

/** The body of a 429 of the rate limit. */
export const rateLimitErrorSchema = z.object({
  error: z.literal('Too many requests'),
  code: z.literal('RATE_LIMITED'),
})

/** The body of a 402: the terms of payment, and the quote. */
export const paymentRequiredSchema = z.looseObject({
  statusCode: z.literal(402),
  error: z.string(),
  message: z.string(),
  x402Version: z.literal(1),
  accepts: z.array(z.looseObject({})),
  quote: z.looseObject({}).optional(),
})

/** The body of an error of the chat endpoints. */
export type ErrorBody = z.output<typeof errorSchema>
/** The body of an error of the image endpoints. */
export type ImageErrorBody = z.output<typeof imageErrorSchema>
/** The body of an error of the Messages endpoints, as Anthropic has it. */
export type MessagesErrorBody = z.output<typeof messagesErrorSchema>
/** The `error` of the image endpoints. */
export type ImageErrorName = ImageErrorBody['error']
