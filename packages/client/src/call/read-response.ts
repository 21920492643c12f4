import { FareboxError } from '../farebox-error.ts'
import { apiError, parse } from './api-error.ts'

export type AnswerSchema<Value> = {
  safeParse(
    body: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: unknown }
}

/** The checked body of a success. Throws the gateway's own error, or `invalid_response`. */
export async function readAnswer<Value>(
  response: Response,
  schema: AnswerSchema<Value>,
): Promise<Value> {
  if (!response.ok) throw await apiError(response)
  const parsed = schema.safeParse(parse(await response.text()))
  if (parsed.success) return parsed.data
  throw new FareboxError('invalid_response', 'The answer is not what it should be.', {
    status: response.status,
    paymentId: response.headers.get('x-payment-id') ?? undefined,
    cause: parsed.error,
  })
}
