import { type ErrorResponse, sendError } from '@farebox/http'
import type { Response } from 'express'
import type { Ending } from './ending.ts'

/**
 * An error as the last event of a stream, in the shape that the endpoint gives its errors. Interfaces
 * with typed events name each event by its type.
 */
export function errorEvent(body: object): string {
  const type = 'type' in body && typeof body.type === 'string' ? body.type : undefined
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(body)}\n\n`
}

/** Sends an error as the response, or as the last event of one that has begun. */
export function sendFailure(response: Response, failure: ErrorResponse): void {
  if (response.headersSent) response.end(errorEvent(failure.body))
  else sendError(response, failure)
}

/** For a stream that was begun to keep the connection alive. A repeat gets the error as JSON. */
export function lastEvent(failure: object): Ending {
  return { type: 'stream', sent: '', rest: () => errorEvent(failure) }
}
