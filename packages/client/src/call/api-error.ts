import { errorSchema, imageErrorSchema, rateLimitErrorSchema } from '@farebox/api'
import { FareboxError, type FareboxErrorDetails } from '../farebox-error.ts'
import { retryAfterSeconds } from '../pay/repeat-until-decided.ts'

/** Turns an error response into the error that its body describes. */
export async function apiError(response: Response): Promise<FareboxError> {
  const body = parse(await response.text())
  const details = {
    status: response.status,
    paymentId: response.headers.get('x-payment-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(response.headers),
  }
  return (
    paymentError(body, details) ??
    serviceError(body, details) ??
    imageError(body, details) ??
    new FareboxError(
      'invalid_response',
      `The server responded with status ${response.status}.`,
      details,
    )
  )
}

/** Reads an error from a chat body, or from an event of a failed stream. */
export function serviceError(
  body: unknown,
  details: FareboxErrorDetails,
): FareboxError | undefined {
  const limited = rateLimitErrorSchema.safeParse(body)
  if (limited.success) return new FareboxError(limited.data.code, limited.data.error, details)
  const parsed = errorSchema.safeParse(body)
  if (!parsed.success) return undefined
  const { code, message, param } = parsed.data.error
  return new FareboxError(code, message, { ...details, param: param ?? undefined })
}

function imageError(body: unknown, details: FareboxErrorDetails): FareboxError | undefined {
  const parsed = imageErrorSchema.safeParse(body)
  return parsed.success
    ? new FareboxError(parsed.data.error, parsed.data.message, details)
    : undefined
}

function paymentError(body: unknown, details: FareboxErrorDetails): FareboxError | undefined {
  if (details.status !== 402) return undefined
  const message =
    typeof body === 'object' && body !== null ? String(Reflect.get(body, 'message')) : ''
  return new FareboxError('payment_rejected', message || 'The payment was rejected.', details)
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
