import type { ErrorRequestHandler, Response } from 'express'
import { errorResponse, sendError } from './error-response.ts'
import { type PathFailure, pathError } from './path-error.ts'
import type { PathMethods } from './path-methods.ts'

/** Codes of temporary faults: no money had moved when the route threw one. */
const temporary: Readonly<Record<string, 'overloaded' | 'payments_unavailable'>> = {
  token_queue_full: 'overloaded',
  chain_unavailable: 'payments_unavailable',
  store_unavailable: 'payments_unavailable',
}

/**
 * Express's error handler: the only place where a thrown error becomes a response, in the shape that
 * `paths` give for its path.
 *
 * @throws {TypeError} without `report`: Express would show the client the stack of its absence.
 */
export function errorHandler(
  report: (error: unknown, response: Response) => void,
  paths: readonly PathMethods[] = [],
): ErrorRequestHandler {
  if (typeof report !== 'function') throw new TypeError('report must be a function: console.error')
  // oxlint-disable-next-line max-params -- Express recognizes an error handler by its four parameters
  return function handleError(error: unknown, request, response, _next) {
    if (response.closed && isAbort(error)) return
    if (error instanceof URIError) return sendError(response, undecodable)
    report(error, response)
    if (response.headersSent) {
      response.destroy()
      return
    }
    sendError(response, pathError(paths, { path: request.path, ...failureOf(error) }))
  }
}

/** Express throws a `URIError` when it cannot decode a path parameter. */
const undecodable = errorResponse(404, {
  code: 'not_found',
  message:
    'The path was not found: its percent-encoding is not valid. Write a percent sign as %25.',
})

/** A client may disconnect while its body is read or its tokens are counted: not a fault. */
function isAbort(error: unknown): boolean {
  return codeOf(error) === 'ECONNRESET' || (error instanceof Error && error.name === 'AbortError')
}

function failureOf(error: unknown): Omit<PathFailure, 'path'> {
  const code = temporary[codeOf(error)]
  return code === undefined
    ? {
        status: 500,
        code: 'internal_error',
        message: 'The service failed. This request moved no money, or what it paid is refunded.',
      }
    : {
        status: 503,
        code,
        message: 'The service is temporarily unavailable. This request moved no money. Repeat it.',
        headers: { 'Retry-After': '2' },
      }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
