import type { RequestHandler } from 'express'
import { errorResponse, sendError } from '../response/error-response.ts'

/** The methods that a path allows. */
export type PathMethods = readonly [path: RegExp, allowed: readonly string[]]

type Hint = readonly [path: RegExp, instead: string, target?: string]

const chat = '/v1/chat/completions'
const images = '/v1/images/generations'

/** Paths that clients of other services try, and what serves them where the target is served. */
const elsewhere: readonly Hint[] = [
  [/^\/(chat\/completions|responses|messages|models|images)\b/i, 'Add /v1 to the base URL.'],
  [/^\/v1\/v1\//i, 'Remove /v1 from the base URL of this client.'],
  [/^\/v1\/completions\/?$/i, `Use POST ${chat}.`, chat],
  [/^\/(api|openai|anthropic)\/v1\//i, 'Let the base URL end with /v1, without a path before it.'],
  [/^\/v1\/images\/(edits|variations)\b/i, `Use POST ${images}.`, images],
  [
    /^\/v1\/(responses|conversations|threads)\/?/i,
    'Nothing is stored here: send whole conversations.',
  ],
  [/^\/(v1beta|api)\//i, `Use POST ${chat}.`, chat],
  [/^\/v1\/(complete|chat|response)\b/i, `Use POST ${chat}.`, chat],
  [
    /^\/v1\/(embeddings|moderations|audio|files|batches|assistants|videos|realtime|rerank|messages\/batches)\b/i,
    'It is not sold here.',
  ],
]

/** Handles what no route did: 405 for a known path with another method, 404 for any other path. */
export function unrouted(paths: readonly PathMethods[]): RequestHandler {
  const hints = elsewhere.filter(
    ([, , target]) => target === undefined || paths.some(([path]) => path.test(target)),
  )
  return function handleUnrouted(request, response) {
    const allowed = paths.find(([path]) => path.test(request.path))?.[1]
    if (allowed === undefined) {
      const instead = hints.find(([path]) => path.test(request.path))?.[1]
      const hint = instead ?? 'GET /openapi.json lists all paths.'
      const message = `${request.path} was not found. ${hint}`
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
