import { countOf } from '@farebox/api'
import type { Request, RequestHandler, Response } from 'express'
import { rateLimit, type Store } from 'express-rate-limit'
import { noteErrorReason } from '../response/error-reason.ts'
import { errorBodyOf, type PathMethods } from '../response/path-methods.ts'
import { clientAddress } from '../server/client-address.ts'
import { refuseNoLimit } from './refuse-no-limit.ts'

export type RateLimitOptions = {
  /** Requests of one client in any 60 seconds, and no more than the store's own `perMinute`. */
  readonly perMinute: number
  readonly store: Store
  /** The paths whose errors have a shape of their own. */
  readonly paths?: readonly PathMethods[]
}

/**
 * Rejects a client's requests beyond the limit with 429, `Retry-After` and the `RateLimit` headers
 * of the IETF draft (draft 8). CORS preflights do not count.
 *
 * @throws {RangeError} if `perMinute` is NaN, which nothing exceeds.
 * @throws {TypeError} without `store`.
 */
export function rateLimiter({ perMinute, store, paths = [] }: RateLimitOptions): RequestHandler {
  refuseNoLimit('perMinute', perMinute)
  // Without one, express-rate-limit counts by fixed windows, which let twice the limit through.
  if (typeof store !== 'object') throw new TypeError('store must be that of openRateLimitStore')
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientAddress,
    skip: (request) => request.method === 'OPTIONS',
    message: (request: Request, response: Response) => tooMany(request, response, paths),
    // Our own `trust proxy` decides, which is a list of networks and never a count.
    validate: { trustProxy: true, xForwardedForHeader: false },
  })
}

/** The JSON body of the path, or for a browser that opens a page one that loads again by itself. */
function tooMany(
  request: Request,
  response: Response,
  paths: readonly PathMethods[],
): object | string {
  const code = 'RATE_LIMITED'
  noteErrorReason(response, code)
  const error = 'Too many requests'
  response.vary('Accept')
  if (request.method !== 'GET' || request.accepts(['json', 'html']) !== 'html') {
    const errorBody = errorBodyOf(paths, request.path)
    return errorBody?.({ status: 429, code, message: `${error}.` }) ?? { error, code }
  }
  const seconds = response.get('Retry-After') ?? '60'
  response.set({ Refresh: seconds, 'Cache-Control': 'no-store' })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${error}</title>
<p>${error} from this address. The page loads again in ${countOf(Number(seconds), 'second')}.</p>
</html>
`
}
