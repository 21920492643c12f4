import type { Request, RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { clientAddress } from '../server/client-address.ts'
import { refuseNoLimit } from './refuse-no-limit.ts'
import { createRollingWindowMemory } from './rolling-window-memory.ts'

export type LoginLimiterOptions = {
  /** Responses of 401 to one client in any 60 seconds; requests in progress count too. */
  readonly failuresPerMinute: number
  /** Requests of a client that is logged in always pass. */
  readonly isLoggedIn: (request: Request) => boolean
}

/**
 * Rejects the requests of a client that gave too many wrong passwords, the right one included, with
 * 429 and `Retry-After`. It counts in this process.
 *
 * @throws {RangeError} if `failuresPerMinute` is NaN, which nothing exceeds.
 */
export function loginLimiter({
  failuresPerMinute: limit,
  isLoggedIn,
}: LoginLimiterOptions): RequestHandler {
  refuseNoLimit('failuresPerMinute', limit)
  const windowMs = 60_000
  return rateLimit({
    windowMs,
    limit,
    store: createRollingWindowMemory({ limit, windowMs, now: () => performance.now() }),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientAddress,
    skip: isLoggedIn,
    skipSuccessfulRequests: true,
    // The store does not record what it rejects, so a 429 must not be taken back.
    requestWasSuccessful: (_request, { statusCode }) => statusCode !== 401 && statusCode !== 429,
    message: { error: 'Too many login attempts. Retry after the seconds in Retry-After.' },
    // The address is that of the connection unless the app trusts a proxy.
    validate: { xForwardedForHeader: false },
  })
}
