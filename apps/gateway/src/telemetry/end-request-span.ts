import { httpAttributes } from '@farebox/http/telemetry'
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import type { EndedRequest } from '../observe/request-trace.ts'
import type { Inference } from './inference.ts'
import { paymentAttributes } from './payment-attributes.ts'

export type OpenRequestSpan = {
  readonly tracer: Tracer
  readonly span: Span
  /** Has the span as the parent of those within it. */
  readonly context: Context
  readonly scheme: string
  readonly inference: Inference | undefined
}

/** Ends the span of a request, with a span in it for each of its phases. */
export function endRequestSpan(open: OpenRequestSpan, request: EndedRequest): void {
  const { tracer, span, context, scheme, inference } = open
  for (const { phase, from, until } of request.phases) {
    if (phase === 'upstream' || phase === 'relay') continue
    tracer.startSpan(phase, { startTime: from }, context).end(until)
  }
  if (inference !== undefined) traceInference(open, request, inference)
  const { method, route, payment, status } = request
  if (route !== undefined) span.updateName(`${method} ${route}`)
  span.setAttributes({
    ...httpAttributes(request, scheme),
    'url.path': request.path,
    'client.address': request.client,
    'farebox.request.id': request.requestId,
    ...(request.cut && { 'farebox.response.cut': true }),
    ...(payment !== undefined && paymentAttributes(payment)),
  })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(request.endedAt)
}

function traceInference(
  { tracer, context }: OpenRequestSpan,
  { payment, streamed }: EndedRequest,
  { name, from, until, firstAt, attributes, tokens, error }: Inference,
): void {
  const isFirstKnown = streamed && firstAt !== undefined
  const images = payment?.usage?.images
  const more: Attributes = {
    ...attributes,
    ...(streamed && { 'gen_ai.request.stream': true }),
    ...(isFirstKnown && { 'gen_ai.response.time_to_first_chunk': (firstAt - from) / 1000 }),
    ...(tokens.input !== undefined && { 'gen_ai.usage.input_tokens': tokens.input }),
    ...(tokens.output !== undefined && { 'gen_ai.usage.output_tokens': tokens.output }),
    ...(images !== undefined && { 'gen_ai.output.type': 'image' }),
  }
  const options = { kind: SpanKind.CLIENT, startTime: from, attributes: more }
  const span = tracer.startSpan(name, options, context)
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(until)
}
