import type { RequestHandler } from 'express'
import { errorResponse, sendError } from '../response/error-response.ts'

/** The methods that a path allows. */
export type PathMethods = readonly [path: RegExp, allowed: readonly string[]]

/** Handles what no route did: 405 for a known path with another method, 404 for any other path. */
export function unrouted(paths: readonly PathMethods[]): RequestHandler {
  return function handleUnrouted(request, response) {
    const allowed = paths.find(([path]) => path.test(request.path))?.[1]
    if (allowed === undefined) {
      const message = `${request.path} was not found. GET /openapi.json lists all paths.`
      return sendError(response, errorResponse(404, { code: 'not_found', message }))
    }
    const allow = allowed.join(', ')
    const message = `${request.path} allows ${allow}, not ${request.method}.`
    sendError(
      response,
      errorResponse(405, { code: 'method_not_allowed', message }, { Allow: allow }),
    )
  }
}
