import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Request } from 'express'
import { isFromTrustedProxy } from '../observe/is-from-trusted-proxy.ts'
import type { StartTrace } from '../observe/request-trace.ts'
import { endRequestSpan } from './end-request-span.ts'
import { inferenceOf } from './inference.ts'
import type { PaymentContexts } from './payment-contexts.ts'
import type { RequestMetrics } from './request-metrics.ts'

export type RequestTraceOptions = {
  readonly tracer: Tracer
  readonly metrics: RequestMetrics
  readonly contexts: PaymentContexts
}

/**
 * Follows each request with a span of the server. A request from an address of `TRUST_PROXY` continues
 * the trace of its `traceparent`; any other request begins a trace of its own with a link to it, since
 * a stranger decides neither on ids nor on what is sampled.
 */
export function startRequestTrace({ tracer, metrics, contexts }: RequestTraceOptions): StartTrace {
  const propagator = new W3CTraceContextPropagator()
  return (request, startedAt) => {
    const given = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
    const scheme = request.protocol
    const [options, parent] = placeOf(request, given)
    const span = tracer.startSpan(
      request.method,
      { kind: SpanKind.SERVER, startTime: startedAt, ...options },
      parent,
    )
    const context = trace.setSpan(ROOT_CONTEXT, span)
    return {
      traceId: span.isRecording() ? span.spanContext().traceId : undefined,
      join: ({ id }) => {
        contexts.keep(id, span.spanContext())
      },
      end: (ended) => {
        const inference = inferenceOf(ended)
        metrics.record(ended, { scheme, inference })
        if (span.isRecording()) endRequestSpan({ tracer, span, context, scheme, inference }, ended)
      },
    }
  }
}

function placeOf(request: Request, given: Context): readonly [SpanOptions, Context] {
  const remote = trace.getSpanContext(given)
  if (remote === undefined || isFromTrustedProxy(request)) return [{}, given]
  return [{ links: [{ context: remote }] }, ROOT_CONTEXT]
}
