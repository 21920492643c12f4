import { clientAddress } from '@farebox/http'
import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../settings.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { createObservation, type Observation } from './observation.ts'
import { requestId } from './request-id.ts'

export type RequestLogOptions = {
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'requests' | 'requestSeconds'>
  readonly network: Config['NETWORK']
  /** Milliseconds since 1970, with fractions. */
  readonly now?: () => number
}

export type RequestLog = {
  /** First of all handlers. */
  readonly handler: RequestHandler
  /** @throws {TypeError} if the handler did not see the request. */
  observationOf(response: Response): Observation
}

/**
 * Observes every request and logs one line when its response ends: no bodies, no headers. The
 * request's id is sent as `X-Request-Id`.
 */
export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { logger, metrics, network, now = preciseNow } = options
  const observations = new WeakMap<Response, Observation>()
  return {
    handler: function observeRequest(request, response, next) {
      const observation = createObservation({ requestId: requestId(request), network, now })
      observations.set(response, observation)
      response.set('X-Request-Id', observation.requestId)
      // Later handlers may read it from a connection that is gone by the time of the line.
      const client = clientAddress(request)
      response.once('close', () => {
        const ms = now() - observation.startedAt
        metrics.requests.inc({ status: response.statusCode })
        metrics.requestSeconds.observe(ms / 1000)
        logger.info({ ...requestLine(request, response, observation), ms: rounded(ms), client })
      })
      next()
    },
    observationOf: (response) => {
      const observation = observations.get(response)
      if (observation === undefined) throw new TypeError('the request is not observed')
      return observation
    },
  }
}

function requestLine(request: Request, response: Response, observation: Observation) {
  const upstream = observation.phases().find(({ phase }) => phase === 'upstream')
  return {
    event: 'request',
    requestId: observation.requestId,
    method: request.method,
    path: request.path,
    status: response.statusCode,
    paymentId: response.get('x-payment-id'),
    ...observation.facts(),
    ...(upstream && { firstTokenMs: rounded(upstream.until - observation.startedAt) }),
    ...(response.writableFinished ? {} : { cut: true }),
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}
