import { FareboxError, type FareboxErrorDetails } from '../farebox-error.ts'
import { isRecord } from './is-record.ts'
import { isText } from './is-text.ts'
import { readJson } from './read-json.ts'
import { responseDetails } from './response-details.ts'
import { retryAfterSeconds } from './retry-after-seconds.ts'

/** Turns an error response into the error that its body describes. */
export async function apiError(response: Response): Promise<FareboxError> {
  const body = await readJson(response)
  const details = {
    ...responseDetails(response),
    retryAfterSeconds: retryAfterSeconds(response.headers),
  }
  if (response.status === 402) {
    const message = textField(body, 'message') ?? 'The payment was rejected.'
    return new FareboxError('payment_rejected', message, details)
  }
  return (
    serviceError(body, details) ??
    plainError(body, 'error', details) ??
    plainError(body, 'code', details) ??
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
  const error = field(body, 'error')
  if (error === 'Too many requests') {
    return new FareboxError(textField(body, 'code') ?? 'RATE_LIMITED', `${error}.`, details)
  }
  const code = textField(error, 'code')
  const message = textField(error, 'message')
  if (code === undefined || message === undefined) return undefined
  return new FareboxError(code, message, { ...details, param: textField(error, 'param') })
}

/** An error of images names its code `error`, that of a deposit by itself `code`. */
function plainError(
  body: unknown,
  name: 'error' | 'code',
  details: FareboxErrorDetails,
): FareboxError | undefined {
  const code = textField(body, name)
  const message = textField(body, 'message')
  return code === undefined || message === undefined
    ? undefined
    : new FareboxError(code, message, details)
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function textField(value: unknown, name: string): string | undefined {
  const text = field(value, name)
  return isText(text) ? text : undefined
}
