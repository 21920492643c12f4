import type { ErrorRequestHandler } from 'express'
import { type ErrorAnswer, errorAnswer, imageErrorAnswer } from './error-answer.ts'
import { answer } from './respond.ts'

/** Codes of faults that mean "not now": nothing was sent when they reach a route. */
const passing: Readonly<Record<string, 'overloaded' | 'payments_unavailable'>> = {
  queue_full: 'overloaded',
  chain_unavailable: 'payments_unavailable',
  store_unavailable: 'payments_unavailable',
}

/** Turns what a route threw into an answer: the one place that does. */
export function errorResponse(report: (error: unknown) => void): ErrorRequestHandler {
  // eslint-disable-next-line @typescript-eslint/max-params -- Express knows an error handler by its four
  return function handleError(error: unknown, request, response, _next) {
    if (response.closed && isAbort(error)) return
    if (error instanceof URIError) return answer(response, undecodable)
    report(error)
    if (response.headersSent) {
      response.destroy()
      return
    }
    answer(response, answerOf(error, request.path))
  }
}

/** Express decodes the parameters of a path. */
const undecodable = errorAnswer(404, {
  code: 'not_found',
  message: 'There is no such path: it is not valid percent-encoding.',
})

/** A client that leaves while its body is read or its tokens are counted is no fault. */
function isAbort(error: unknown): boolean {
  return codeOf(error) === 'ECONNRESET' || (error instanceof Error && error.name === 'AbortError')
}

function answerOf(error: unknown, path: string): ErrorAnswer {
  const code = passing[codeOf(error)]
  const status = code === undefined ? 500 : 503
  const message =
    code === undefined
      ? 'The service failed. No money moved for this answer, or it is refunded.'
      : 'The service cannot do this just now. No money moved. Repeat the request.'
  const headers = code === undefined ? {} : { 'Retry-After': '2' }
  if (path.startsWith('/v1/images/')) {
    const name = path.endsWith('/estimate') ? 'ESTIMATE_ERROR' : 'GENERATION_ERROR'
    return { ...imageErrorAnswer(status, name, { message }), headers }
  }
  return errorAnswer(status, { code: code ?? 'internal_error', message }, headers)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
