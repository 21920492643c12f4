import type { RequestHandler } from 'express'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

/** One log line per response: the request, its status and its duration. No bodies, no headers. */
export function requestLog(logger: Logger, metrics: Metrics, now: () => number): RequestHandler {
  return function logRequest(request, response, next) {
    const startedAt = now()
    response.once('close', () => {
      const ms = now() - startedAt
      metrics.requests.inc({ status: response.statusCode })
      metrics.requestSeconds.observe(ms / 1000)
      logger.info({
        event: 'request',
        method: request.method,
        path: request.path,
        status: response.statusCode,
        ms,
        paymentId: response.get('x-payment-id'),
        ...(response.writableFinished ? {} : { cut: true }),
      })
    })
    next()
  }
}
