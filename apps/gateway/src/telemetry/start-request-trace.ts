import { serverSpans } from '@farebox/http/telemetry'
import { ROOT_CONTEXT, type Tracer, trace } from '@opentelemetry/api'
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

/** Follows each request with a span of the server. */
export function startRequestTrace({ tracer, metrics, contexts }: RequestTraceOptions): StartTrace {
  const startSpan = serverSpans(tracer)
  return (request, startedAt) => {
    const scheme = request.protocol
    const span = startSpan(request, startedAt)
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
