export { type BodyBudget, createBodyBudget, maxBodyBytes } from './body-budget.ts'
export { type CatalogLogger, catalogLog } from './catalog-log.ts'
export { clientAddress } from './client-address.ts'
export { cors } from './cors.ts'
export { docsPage } from './endpoints/docs-page.ts'
export { type ErrorAnswer, errorAnswer, imageErrorAnswer } from './error-answer.ts'
export { errorResponse } from './error-response.ts'
export { type FreeEndpointsOptions, freeEndpoints } from './free-endpoints.ts'
export { closeServer, createHttpServer, listen } from './http-server.ts'
export { freePathMethods, type PathMethods, unrouted } from './only-methods.ts'
export {
  CatalogSettingsError,
  type LiveCatalog,
  type LiveCatalogOptions,
  type LiveCatalogSettings,
  openCatalog,
} from './open-catalog.ts'
export {
  type OpenRateLimitStore,
  openRateLimitStore,
  type RateLimitRedis,
  type RateLimitStoreOptions,
} from './open-rate-limit-store.ts'
export { openTokenCounter, TokenizerSettingsError } from './open-token-counter.ts'
export { type ChatSale, findSoldModel, quoteChatRequest } from './quote-chat-request.ts'
export {
  type ImageRefusal,
  type ImageSale,
  type QuotedImage,
  quoteImageEstimate,
  quoteImageRequest,
} from './quote-image-request.ts'
export { type RateLimitOptions, rateLimiter } from './rate-limit.ts'
export { type JsonBody, readJsonBody } from './read-json-body.ts'
export {
  createRedisWatch,
  type RedisNotice,
  type RedisWatch,
  type RedisWatchOptions,
} from './redis-watch.ts'
export type { Quoted, Refusal } from './refusal.ts'
export { answer, type UnreadableBody, unreadableAnswer, unreadableImageAnswer } from './respond.ts'
export {
  createRollingWindowMemory,
  type RollingWindowMemoryOptions,
  type RollingWindowOptions,
} from './rolling-window-memory.ts'
export {
  createRollingWindowRedis,
  type RedisScripts,
  type RollingWindowRedisOptions,
  withFallback,
} from './rolling-window-redis.ts'
export type { Storefront } from './storefront.ts'
