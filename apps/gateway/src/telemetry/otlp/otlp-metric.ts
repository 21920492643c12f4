import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'

export type PrometheusMetric = Pick<
  MetricObjectWithValues<PrometheusValue>,
  'name' | 'help' | 'type' | 'values'
>

type PrometheusValue = MetricValue<string> & { readonly metricName?: string }

/** A metric of a Prometheus registry in OpenTelemetry's form; nothing for a summary. */
export function otlpMetric(
  { name, help, type, values }: PrometheusMetric,
  [startTime, endTime]: readonly [HrTime, HrTime],
): [] | [MetricData] {
  const shared = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const point = <Value>(attributes: Attributes, value: Value): DataPoint<Value> => ({
    startTime,
    endTime,
    attributes,
    value,
  })
  const numbers = (): DataPoint<number>[] => values.map(({ labels, value }) => point(labels, value))
  switch (String(type)) {
    case 'counter':
      return [
        { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() },
      ]
    case 'gauge':
      return [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints: numbers() }]
    case 'histogram': {
      const dataPoints = histograms(name, values).map(([labels, value]) => point(labels, value))
      return [{ ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
    }
    default:
      return []
  }
}

/** Prometheus has one value per bucket, each with the counts of all smaller ones in it. */
function histograms(
  name: string,
  values: readonly PrometheusValue[],
): readonly (readonly [Attributes, Histogram])[] {
  const groups = Map.groupBy(values, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest))
  return [...groups.values()].map((group) => {
    const buckets = group.filter(({ metricName }) => metricName === `${name}_bucket`)
    const only = (suffix: string): number =>
      group.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0
    const { le: _, ...labels } = group[0]?.labels ?? {}
    const boundaries = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite)
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0))
    return [labels, { buckets: { boundaries, counts }, sum: only('sum'), count: only('count') }]
  })
}
