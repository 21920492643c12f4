import type { PathMethods } from '@farebox/http'
import { countTokensWire } from '@farebox/wires'

const get = ['GET', 'HEAD'] as const

/** The paths of the free endpoints. */
export const freePathMethods: readonly PathMethods[] = [
  [/^\/v1\/estimate\/?$/i, ['POST']],
  [/^\/v1\/images\/estimate\/?$/i, ['POST']],
  [/^\/v1\/responses\/input_tokens\/?$/i, ['POST']],
  [/^\/v1\/messages\/count_tokens\/?$/i, ['POST'], (error) => countTokensWire.errorBody(error)],
  [/^\/v1\/(images\/)?models\/?$/i, get],
  [/^\/v1\/models\/.+$/i, get],
  [/^\/$/, get],
  [/^(\/v1)?\/health\/?$/i, get],
  [/^\/ready\/?$/i, get],
  [/^\/(openapi\.json|docs)\/?$/i, get],
]
