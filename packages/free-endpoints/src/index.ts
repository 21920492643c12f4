export { type CatalogLogger, catalogLog } from './catalog/catalog-log.ts'
export {
  CatalogSettingsError,
  type LiveCatalog,
  type LiveCatalogOptions,
  type LiveCatalogSettings,
  openCatalog,
} from './catalog/open-catalog.ts'
export { docsPage } from './endpoints/docs-page.ts'
export { type FreeEndpointsOptions, freeEndpoints } from './free-endpoints.ts'
export { type BodyBudget, createBodyBudget, maxBodyBytes } from './http/body-budget.ts'
export { clientAddress } from './http/client-address.ts'
export { cors } from './http/cors.ts'
export { type ErrorAnswer, errorAnswer, imageErrorAnswer } from './http/error-answer.ts'
export { errorResponse } from './http/error-response.ts'
export { closeServer, createHttpServer, listen } from './http/http-server.ts'
export { freePathMethods, type PathMethods, unrouted } from './http/only-methods.ts'
export { type JsonBody, readJsonBody } from './http/read-json-body.ts'
export {
  answer,
  type UnreadableBody,
  unreadableAnswer,
  unreadableImageAnswer,
} from './http/respond.ts'
export { type ChatSale, findSoldModel, quoteChatRequest } from './quote/quote-chat-request.ts'
export {
  type ImageRefusal,
  type ImageSale,
  type QuotedImage,
  quoteImageEstimate,
  quoteImageRequest,
} from './quote/quote-image-request.ts'
export type { Quoted, Refusal } from './quote/request-rejection.ts'
export type { Storefront } from './quote/storefront.ts'
export {
  type OpenRateLimitStore,
  openRateLimitStore,
  type RateLimitRedis,
  type RateLimitStoreOptions,
} from './rate-limit/open-rate-limit-store.ts'
export { type RateLimitOptions, rateLimiter } from './rate-limit/rate-limit.ts'
export {
  createRedisWatch,
  type RedisNotice,
  type RedisWatch,
  type RedisWatchOptions,
} from './rate-limit/redis-monitor.ts'
export {
  createRollingWindowMemory,
  type RollingWindowMemoryOptions,
  type RollingWindowOptions,
} from './rate-limit/rolling-window-memory.ts'
export {
  createRollingWindowRedis,
  type RedisScripts,
  type RollingWindowRedisOptions,
  withFallback,
} from './rate-limit/rolling-window-redis.ts'
export { openTokenCounter, TokenizerSettingsError } from './tokens/open-token-counter.ts'
