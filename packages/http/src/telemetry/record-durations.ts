import type { Meter } from '@opentelemetry/api'
import { type HttpFacts, httpAttributes } from './http-attributes.ts'

/** Records how long a request took, in milliseconds. */
export type RecordDuration = (facts: HttpFacts, scheme: string, milliseconds: number) => void

/** The boundaries that OpenTelemetry's HTTP conventions ask for. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** The metric `http.server.request.duration` of the HTTP conventions. */
export function recordDurations(meter: Meter): RecordDuration {
  const durations = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of HTTP server requests.',
    advice: { explicitBucketBoundaries: requestSeconds },
  })
  return (facts, scheme, milliseconds) => {
    durations.record(milliseconds / 1000, httpAttributes(facts, scheme))
  }
}
