import type { ErrorCode } from '@farebox/api'
import type { Request, RequestHandler } from 'express'
import { type ErrorResponse, errorResponse, sendError } from '../response/error-response.ts'
import { errorBodyOf, type PathMethods } from '../response/path-methods.ts'

type Hint = readonly [path: RegExp, instead: string, target?: string]

const chat = '/v1/chat/completions'
const images = '/v1/images/generations'

/** Paths that clients of other services try, each with a hint; one with a target only where that is served. */
const elsewhere: readonly Hint[] = [
  [/^\/(chat\/completions|responses|messages|models|images)\b/i, 'Add /v1 to the base URL.'],
  [/^\/v1\/v1\//i, 'Remove /v1 from the base URL of this client.'],
  [/^\/v1\/completions\/?$/i, `Use POST ${chat}.`, chat],
  [/^\/(api|openai|anthropic)\/v1\//i, 'Let the base URL end with /v1, without a path before it.'],
  [/^\/v1\/images\/(edits|variations)\b/i, `Use POST ${images}.`, images],
  [
    /^\/v1\/(responses|conversations|threads)\/?/i,
    'Nothing is stored here: send whole conversations.',
    '/v1/responses',
  ],
  [/^\/(v1beta|api)\//i, `Use POST ${chat}.`, chat],
  [/^\/v1\/(complete|chat|response)\b/i, `Use POST ${chat}.`, chat],
  [
    /^\/v1\/(embeddings|moderations|audio|files|batches|assistants|videos|realtime|rerank|messages\/batches)\b/i,
    'It is not sold here.',
  ],
  // Reached only where these paths are not served.
  [
    /^\/v1\/(chat\/completions|responses|messages|images\/generat(e|ions))\/?$/i,
    'This service estimates and does not sell. GET /openapi.json lists all paths.',
  ],
]

/**
 * Handles what no route did: 405 for a known path with another method, 404 for any other path. A GET of
 * such a path is offered to `missingPage` first.
 */
export function unrouted(
  paths: readonly PathMethods[],
  missingPage?: RequestHandler,
): RequestHandler {
  const hints = elsewhere.filter(
    ([, , target]) => target === undefined || paths.some(([path]) => path.test(target)),
  )
  function notFound(path: string): ErrorResponse {
    const instead = hints.find(([pattern]) => pattern.test(path))?.[1]
    const hint = instead ?? 'GET /openapi.json lists all paths.'
    const error = { code: 'not_found', message: `${path} was not found. ${hint}` } as const
    return inShape(errorResponse(404, error), error, errorBodyOf(paths, path))
  }
  return function handleUnrouted(request, response, next) {
    const { path, method } = request
    const known = paths.find(([pattern]) => pattern.test(path))
    if (known !== undefined) return sendError(response, methodNotAllowed(request, known))
    const refuse = (): void => sendError(response, notFound(path))
    if (missingPage === undefined || method !== 'GET') return refuse()
    void missingPage(request, response, (error?: unknown) =>
      error === undefined ? refuse() : next(error),
    )
  }
}

function methodNotAllowed(
  { path, method }: Pick<Request, 'path' | 'method'>,
  [, allowed, errorBody]: PathMethods,
): ErrorResponse {
  const allow = allowed.join(', ')
  const error = {
    code: 'method_not_allowed',
    message: `${path} does not support ${method}. Use ${allowed.join(' or ')}.`,
  } as const
  return inShape(errorResponse(405, error, { Allow: allow }), error, errorBody)
}

type PathFault = { readonly code: ErrorCode; readonly message: string }

/** The response in the shape of its path, if that is not OpenAI's. */
function inShape(
  response: ErrorResponse,
  error: PathFault,
  errorBody: PathMethods[2],
): ErrorResponse {
  const { status } = response
  return errorBody === undefined ? response : { ...response, body: errorBody({ status, ...error }) }
}
