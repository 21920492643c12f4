import { randomUUID } from 'node:crypto'
import type { Meter, Tracer } from '@opentelemetry/api'
import type { InstrumentationScope } from '@opentelemetry/core'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { AlwaysOffSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from '../log/logger.ts'
import { type Exporters, openExporters } from './open-exporters.ts'
import type { OtlpTarget } from './otlp-target.ts'
import { samplerOf } from './sampler-of.ts'
import type { TelemetryConfig } from './telemetry-settings.ts'

/** Of a path, which a client chooses. */
const maxAttributeLength = 512

export type OtlpOptions = {
  readonly config: TelemetryConfig
  readonly logger: Logger
  /** Such as `farebox-gateway`, unless the settings name it. */
  readonly service: string
  /** The package that the spans and metrics are from. */
  readonly scope: InstrumentationScope
  /** Metrics that are exported besides those of the meter. */
  readonly producers?: readonly MetricProducer[]
}

export type Otlp = {
  readonly tracer: Tracer
  readonly meter: Meter
  /** Sends what is left, waiting at most as long as two exports may take. */
  close(): Promise<void>
}

/**
 * Sends spans and metrics in batches, in the background. What a collector does not accept in time
 * is dropped: at most 2,048 spans are queued.
 */
export async function openOtlp(target: OtlpTarget, options: OtlpOptions): Promise<Otlp> {
  const { name, version } = options.scope
  const exporters = await openExporters(target, options.logger)
  const resource = resourceOf(options)
  const spans = openTracer(exporters, options.config, resource)
  const metrics = openMeter(exporters, options, resource)
  return {
    tracer: spans.getTracer(name, version),
    meter: metrics.getMeter(name, version),
    close: async () => {
      // An export that fails was logged.
      await Promise.allSettled([spans.shutdown(), metrics.shutdown()])
    },
  }
}

function openTracer(
  { spans }: Exporters,
  config: TelemetryConfig,
  resource: Resource,
): TracerProvider {
  const scheduledDelayMillis = config.OTEL_BSP_SCHEDULE_DELAY
  return new TracerProvider({
    resource,
    sampler: spans === undefined ? new AlwaysOffSampler() : samplerOf(config),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors:
      spans === undefined
        ? []
        : [new BatchSpanProcessor({ exporter: spans, scheduledDelayMillis })],
  })
}

function openMeter(
  { metrics: exporter }: Exporters,
  { config, producers = [] }: OtlpOptions,
  resource: Resource,
): MeterProvider {
  if (exporter === undefined) return new MeterProvider()
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: config.OTEL_METRIC_EXPORT_INTERVAL,
    metricProducers: [...producers],
  })
  return new MeterProvider({ resource, readers: [reader] })
}

/** The names of this process. Those of the settings replace the others. */
function resourceOf({ config, service, scope }: OtlpOptions): Resource {
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: given } = config
  const attributes = {
    'service.name': service,
    'service.version': scope.version ?? '',
    'service.instance.id': randomUUID(),
    ...given,
    ...(name !== undefined && { 'service.name': name }),
  }
  return defaultResource().merge(resourceFromAttributes(attributes))
}
