import { clientAddress, errorReasonOf, routeOf } from '@farebox/http'
import type { Logger } from '@farebox/http/log'
import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../settings.ts'
import type { Metrics } from './metrics.ts'
import { createObservation, type Observation } from './observation.ts'
import { requestId } from './request-id.ts'
import type { EndedRequest, StartTrace } from './request-trace.ts'

export type RequestLogOptions = {
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'requests' | 'requestSeconds'>
  readonly network: Config['NETWORK']
  /** Absent unless traces or metrics are exported. */
  readonly startTrace?: StartTrace | undefined
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
  const { logger, metrics, network, startTrace, now = preciseNow } = options
  const observations = new WeakMap<Response, Observation>()
  return {
    handler: function observeRequest(request, response, next) {
      const trace = startTrace?.(request, now())
      const id = requestId(request)
      const onPayment = trace?.join
      const observation = createObservation({ requestId: id, network, now, onPayment })
      observations.set(response, observation)
      response.set('X-Request-Id', observation.requestId)
      // Read now: the connection is gone when the line is written.
      const client = clientAddress(request)
      response.once('close', () => {
        const endedAt = now()
        const ms = endedAt - observation.startedAt
        metrics.requests.inc({ status: response.statusCode })
        metrics.requestSeconds.observe(ms / 1000)
        const line = { ...requestLine(request, response, observation), ms: rounded(ms), client }
        logger.info(trace?.traceId === undefined ? line : { ...line, traceId: trace.traceId })
        trace?.end({ ...endedRequest(request, response, observation), client, endedAt })
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
    path: shortened(pathOf(request)),
    status: response.statusCode,
    reason: errorReasonOf(response),
    paymentId: response.get('x-payment-id'),
    ...observation.facts(),
    ...(upstream && { firstTokenMs: rounded(upstream.until - observation.startedAt) }),
    ...(response.writableFinished ? {} : { cut: true }),
  }
}

function endedRequest(
  request: Request,
  response: Response,
  observation: Observation,
): Omit<EndedRequest, 'client' | 'endedAt'> {
  return {
    requestId: observation.requestId,
    method: request.method,
    path: pathOf(request),
    route: routeOf(request),
    status: response.statusCode,
    streamed: response.get('content-type')?.startsWith('text/event-stream') === true,
    cut: !response.writableFinished,
    startedAt: observation.startedAt,
    phases: observation.phases(),
    facts: observation.facts(),
    payment: observation.payment(),
  }
}

/** A mounted router has taken its own path off `request.path`. */
function pathOf({ baseUrl, path }: Request): string {
  return baseUrl + path
}

/** Clients send paths of up to 16 KB, also in requests that are refused: none of them may fill a disk. */
function shortened(path: string): string {
  return path.length > 256 ? `${path.slice(0, 256)}…` : path
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}
