import type { RequestHandler } from 'express'
import { errorAnswer } from './error-answer.ts'
import { answer } from './respond.ts'

/** The methods that a path takes. */
export type PathMethods = readonly [path: RegExp, allowed: readonly string[]]

const get = ['GET', 'HEAD'] as const

/** The paths of the free endpoints. */
export const freePathMethods: readonly PathMethods[] = [
  [/^\/v1\/estimate\/?$/i, ['POST']],
  [/^\/v1\/images\/estimate\/?$/i, ['POST']],
  [/^\/v1\/(images\/)?models\/?$/i, get],
  [/^(\/v1)?\/health\/?$/i, get],
  [/^\/(openapi\.json|docs|llms\.txt)\/?$/i, get],
]

/** Answers what no route took: 405 for a known path with another method, 404 for any other. */
export function unrouted(paths: readonly PathMethods[]): RequestHandler {
  return function handleUnrouted(request, response) {
    const allowed = paths.find(([path]) => path.test(request.path))?.[1]
    if (allowed === undefined) {
      const message = `There is no ${request.path} here. GET /openapi.json lists what there is.`
      return answer(response, errorAnswer(404, { code: 'not_found', message }))
    }
    const allow = allowed.join(', ')
    const message = `${request.path} takes ${allow}, not ${request.method}.`
    answer(response, errorAnswer(405, { code: 'method_not_allowed', message }, { Allow: allow }))
  }
}
