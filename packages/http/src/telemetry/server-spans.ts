import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Request } from 'express'
import { isFromTrustedProxy } from '../server/is-from-trusted-proxy.ts'

/** Begins the span of a request, at a time in ms since 1970. */
export type StartServerSpan = (request: Request, startedAt: number) => Span

/**
 * A request from an address of `TRUST_PROXY` continues the trace of its `traceparent`; any other
 * request begins a new trace with a link to it, since untrusted clients must choose neither
 * ids nor what is sampled.
 */
export function serverSpans(tracer: Tracer): StartServerSpan {
  const propagator = new W3CTraceContextPropagator()
  return (request, startedAt) => {
    const given = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
    const [options, parent] = placeOf(request, given)
    return tracer.startSpan(
      request.method,
      { kind: SpanKind.SERVER, startTime: startedAt, ...options },
      parent,
    )
  }
}

function placeOf(request: Request, given: Context): readonly [SpanOptions, Context] {
  const remote = trace.getSpanContext(given)
  if (remote === undefined || isFromTrustedProxy(request)) return [{}, given]
  return [{ links: [{ context: remote }] }, ROOT_CONTEXT]
}
