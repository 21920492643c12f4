import { SpanStatusCode } from '@opentelemetry/api'
import type { RequestHandler } from 'express'
import { clientAddress } from '../server/client-address.ts'
import { routeOf } from '../server/route-of.ts'
import { httpAttributes } from './http-attributes.ts'
import type { Otlp } from './open-otlp.ts'
import { recordDurations } from './record-durations.ts'
import { serverSpans } from './server-spans.ts'

/**
 * Records a span and a duration for each request, until its response has ended. `now` is in ms
 * since 1970.
 */
export function traceRequests(
  { tracer, meter }: Pick<Otlp, 'tracer' | 'meter'>,
  now: () => number,
): RequestHandler {
  const startSpan = serverSpans(tracer)
  const record = recordDurations(meter)
  return (request, response, next) => {
    const startedAt = now()
    const span = startSpan(request, startedAt)
    const { method, path, protocol } = request
    response.once('close', () => {
      const endedAt = now()
      const route = routeOf(request)
      const facts = { method, route, status: response.statusCode }
      record(facts, protocol, endedAt - startedAt)
      if (route !== undefined) span.updateName(`${method} ${route}`)
      span.setAttributes({
        ...httpAttributes(facts, protocol),
        'url.path': path,
        'client.address': clientAddress(request),
        ...(!response.writableFinished && { 'farebox.response.cut': true }),
      })
      if (facts.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endedAt)
    })
    next()
  }
}
