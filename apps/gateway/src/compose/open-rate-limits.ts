import { type OpenRateLimitStore, openRateLimitStore } from '@farebox/http'
import type { Logger } from '@farebox/http/log'
import { createClient } from 'redis'
import type { Metrics } from '../observe/metrics.ts'
import type { Config } from '../settings.ts'

export type RateLimitParts = {
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Opens the store of the rate limits: Redis, if it is configured. */
export function openRateLimits(parts: RateLimitParts): Promise<OpenRateLimitStore> {
  const { config, logger, metrics } = parts
  const { REDIS_URL: url, RATE_LIMIT_PER_MINUTE: perMinute } = config
  return openRateLimitStore({
    perMinute,
    redis: url === undefined ? undefined : createClient({ url, disableOfflineQueue: true }),
    logger,
    onFallback: () => {
      metrics.rateLimitFallbacks.inc()
    },
  })
}
