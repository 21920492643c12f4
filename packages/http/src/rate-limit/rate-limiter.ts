import type { RequestHandler, Response } from 'express'
import { rateLimit, type Store } from 'express-rate-limit'
import { noteErrorReason } from '../response/error-reason.ts'
import { clientAddress } from '../server/client-address.ts'

export type RateLimitOptions = {
  /** Requests of one client in any 60 seconds. */
  readonly perMinute: number
  readonly store: Store
}

/**
 * Rejects a client's requests beyond the limit with 429, `Retry-After` and the `RateLimit` headers
 * of the IETF draft (draft 8). CORS preflights do not count.
 */
export function rateLimiter({ perMinute, store }: RateLimitOptions): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientAddress,
    skip: (request) => request.method === 'OPTIONS',
    message: tooMany,
    // Our own `trust proxy` decides, which is a list of networks and never a count.
    validate: { trustProxy: true, xForwardedForHeader: false },
  })
}

function tooMany(_: unknown, response: Response): object {
  const code = 'RATE_LIMITED'
  noteErrorReason(response, code)
  return { error: 'Too many requests', code }
}
