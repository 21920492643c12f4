import type { HrTime } from '@opentelemetry/api'
import { type InstrumentationScope, millisToHrTime } from '@opentelemetry/core'
import { emptyResource } from '@opentelemetry/resources'
import type { MetricData, MetricProducer } from '@opentelemetry/sdk-metrics'
import type { Registry } from 'prom-client'
import { otlpMetric } from './otlp-metric.ts'

export type PrometheusProducerOptions = {
  readonly registry: Registry
  readonly scope: InstrumentationScope
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Exports the metrics of a Prometheus registry by the same names, so that they are defined once. */
export function prometheusProducer(options: PrometheusProducerOptions): MetricProducer {
  const { registry, scope, now } = options
  const startTime = millisToHrTime(now())
  return {
    collect: async () => {
      const period: readonly [HrTime, HrTime] = [startTime, millisToHrTime(now())]
      const read = await registry.getMetricsAsJSON()
      const metrics = read.flatMap((metric): MetricData[] => otlpMetric(metric, period))
      const resourceMetrics = { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] }
      return { resourceMetrics, errors: [] }
    },
  }
}
