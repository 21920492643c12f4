export { type BodyBudget, type BodyReservation, createBodyBudget } from './body/body-budget.ts'
export {
  bodyErrorResponse,
  imageBodyErrorResponse,
  type UnreadableBody,
} from './body/body-error-response.ts'
export { type BodyLimits, defaultBodyLimits } from './body/body-limits.ts'
export { type JsonBody, readJsonBody } from './body/read-json-body.ts'
export { type LoginLimiterOptions, loginLimiter } from './rate-limit/login-limiter.ts'
export {
  type OpenRateLimitStore,
  openRateLimitStore,
  type RateLimitRedis,
  type RateLimitStoreOptions,
} from './rate-limit/open-rate-limit-store.ts'
export { type RateLimitOptions, rateLimiter } from './rate-limit/rate-limiter.ts'
export { clientSignal } from './response/client-signal.ts'
export { errorHandler } from './response/error-handler.ts'
export { errorReasonOf, noteErrorReason } from './response/error-reason.ts'
export {
  type ErrorResponse,
  errorResponse,
  imageErrorResponse,
  sendError,
} from './response/error-response.ts'
export { type PathFailure, pathError } from './response/path-error.ts'
export type { PathMethods } from './response/path-methods.ts'
export { clientAddress } from './server/client-address.ts'
export { cors } from './server/cors.ts'
export { closeServer, createHttpServer, type HttpTimeouts, listen } from './server/http-server.ts'
export { isFromTrustedProxy } from './server/is-from-trusted-proxy.ts'
export { type ListenSettings, listenProblem } from './server/listen-problem.ts'
export { onReloadSignal } from './server/on-reload-signal.ts'
export { createResourceStack, openResources, type ResourceStack } from './server/resource-stack.ts'
export { routeOf } from './server/route-of.ts'
export { stopSignal } from './server/stop-signal.ts'
export { unrouted } from './server/unrouted.ts'
