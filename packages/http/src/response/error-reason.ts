import type { Response } from 'express'

const key = 'errorReason'

/** Notes why a response is an error, as a stable code, for the log line of its request. */
export function noteErrorReason(response: Response, reason: string): void {
  response.locals[key] = reason
}

/** The code that was noted of a response; undefined if it is not an error. */
export function errorReasonOf({ locals }: Response): string | undefined {
  const reason: unknown = locals[key]
  return typeof reason === 'string' ? reason : undefined
}
