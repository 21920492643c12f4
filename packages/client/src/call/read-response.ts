import { FareboxError } from '../farebox-error.ts'
import { apiError, parse } from './api-error.ts'

export type ResponseSchema<Value> = {
  safeParse(
    body: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: unknown }
}

/** Returns the validated body of a successful response. Throws the gateway's error, or `invalid_response`. */
export async function readResponse<Value>(
  response: Response,
  schema: ResponseSchema<Value>,
): Promise<Value> {
  if (!response.ok) throw await apiError(response)
  const parsed = schema.safeParse(parse(await response.text()))
  if (parsed.success) return parsed.data
  throw new FareboxError('invalid_response', 'The response body does not match the API.', {
    status: response.status,
    paymentId: response.headers.get('x-payment-id') ?? undefined,
    cause: parsed.error,
  })
}
