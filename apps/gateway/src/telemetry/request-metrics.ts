import { recordDurations } from '@farebox/http/telemetry'
import type { Attributes, Histogram, Meter } from '@opentelemetry/api'
import type { EndedRequest } from '../observe/request-trace.ts'
import type { Inference } from './inference.ts'

/** The metrics of OpenTelemetry's HTTP and GenAI conventions. */
export type RequestMetrics = {
  record(request: EndedRequest, known: KnownOfRequest): void
}

export type KnownOfRequest = {
  readonly scheme: string
  readonly inference: Inference | undefined
}

/** The boundaries that the conventions ask for: powers of two and of four. */
const callSeconds = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)
const tokenCounts = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** Records every request that ended, also of traces that are not sampled. */
export function createRequestMetrics(meter: Meter): RequestMetrics {
  const recordDuration = recordDurations(meter)
  const calls = histogram(meter, 'gen_ai.client.operation.duration', {
    unit: 's',
    description: 'GenAI operation duration.',
    boundaries: callSeconds,
  })
  const first = histogram(meter, 'gen_ai.client.operation.time_to_first_chunk', {
    unit: 's',
    description: 'Time to receive the first chunk of a streamed response.',
    boundaries: callSeconds,
  })
  const tokens = histogram(meter, 'gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    boundaries: tokenCounts,
  })
  function recordTokens(type: string, count: number | undefined, attributes: Attributes): void {
    if (count !== undefined) tokens.record(count, { ...attributes, 'gen_ai.token.type': type })
  }
  return {
    record: (request, { scheme, inference }) => {
      recordDuration(request, scheme, request.endedAt - request.startedAt)
      if (inference === undefined) return
      const { from, until, firstAt, attributes } = inference
      calls.record((until - from) / 1000, attributes)
      if (request.streamed && firstAt !== undefined)
        first.record((firstAt - from) / 1000, attributes)
      recordTokens('input', inference.tokens.input, attributes)
      recordTokens('output', inference.tokens.output, attributes)
    },
  }
}

type HistogramShape = {
  readonly unit: string
  readonly description: string
  readonly boundaries: readonly number[]
}

function histogram(meter: Meter, name: string, shape: HistogramShape): Histogram {
  const { unit, description, boundaries } = shape
  const advice = { explicitBucketBoundaries: [...boundaries] }
  return meter.createHistogram(name, { unit, description, advice })
}
