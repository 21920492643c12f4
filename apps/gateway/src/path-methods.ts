import { freePathMethods } from '@farebox/free-endpoints'
import type { PathMethods } from '@farebox/http'
import { messagesWire } from '@farebox/wires'

/** The paths of the gateway. */
export const pathMethods: readonly PathMethods[] = [
  [/^\/v1\/chat\/completions\/?$/i, ['POST']],
  [/^\/v1\/responses\/?$/i, ['POST']],
  [/^\/v1\/messages\/?$/i, ['POST'], (error) => messagesWire.errorBody(error)],
  [/^\/v1\/images\/generat(e|ions)\/?$/i, ['POST']],
  [/^\/\.well-known\/x402\/?$/, ['GET', 'HEAD']],
  [/^\/llms\.txt\/?$/i, ['GET', 'HEAD']],
  [/^\/v1\/payments\/[^/]+\/?$/i, ['GET', 'HEAD']],
  [/^\/v1\/channel\/?$/i, ['GET', 'HEAD']],
  [/^\/v1\/channels\/[^/]+\/?$/i, ['GET', 'HEAD']],
  ...freePathMethods,
]
