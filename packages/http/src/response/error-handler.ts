import type { ErrorRequestHandler, Response } from 'express'
import {
  type ErrorResponse,
  errorResponse,
  imageErrorResponse,
  sendError,
} from './error-response.ts'
import type { PathMethods } from './path-methods.ts'

/** Codes of temporary faults: no money had moved when the route threw one. */
const temporary: Readonly<Record<string, 'overloaded' | 'payments_unavailable'>> = {
  queue_full: 'overloaded',
  chain_unavailable: 'payments_unavailable',
  store_unavailable: 'payments_unavailable',
}

/**
 * Express's error handler: the only place where a thrown error becomes a response, in the shape that
 * `paths` give for its path.
 */
export function errorHandler(
  report: (error: unknown, response: Response) => void,
  paths: readonly PathMethods[] = [],
): ErrorRequestHandler {
  // eslint-disable-next-line @typescript-eslint/max-params -- Express recognizes an error handler by its four parameters
  return function handleError(error: unknown, request, response, _next) {
    if (response.closed && isAbort(error)) return
    if (error instanceof URIError) return sendError(response, undecodable)
    report(error, response)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const errorBody = paths.find(([path]) => path.test(request.path))?.[2]
    sendError(response, responseTo(error, { path: request.path, errorBody }))
  }
}

/** Express throws a `URIError` when it cannot decode a path parameter. */
const undecodable = errorResponse(404, {
  code: 'not_found',
  message: 'The path was not found: it is not valid percent-encoding.',
})

/** A client may disconnect while its body is read or its tokens are counted: not a fault. */
function isAbort(error: unknown): boolean {
  return codeOf(error) === 'ECONNRESET' || (error instanceof Error && error.name === 'AbortError')
}

type FaultyPath = { readonly path: string; readonly errorBody: PathMethods[2] }

function responseTo(error: unknown, { path, errorBody }: FaultyPath): ErrorResponse {
  const code = temporary[codeOf(error)] ?? 'internal_error'
  const status = code === 'internal_error' ? 500 : 503
  const message =
    status === 500
      ? 'The service failed. No money moved for this request, or it is refunded.'
      : 'The service is temporarily unavailable. No money moved. Retry the request.'
  const headers: ErrorResponse['headers'] = status === 500 ? {} : { 'Retry-After': '2' }
  if (errorBody !== undefined) {
    return { status, headers, code, body: errorBody({ status, code, message }) }
  }
  if (path.startsWith('/v1/images/')) {
    const name = path.endsWith('/estimate') ? 'ESTIMATE_ERROR' : 'GENERATION_ERROR'
    return { ...imageErrorResponse(status, name, { code, message }), headers }
  }
  return errorResponse(status, { code, message }, headers)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
