import { randomUUID } from 'node:crypto'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { AlwaysOffSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Config } from '../settings.ts'
import { type Exporters, openExporters } from './otlp/open-exporters.ts'
import type { OtlpTarget } from './otlp/otlp-target.ts'
import { prometheusProducer } from './otlp/prometheus-producer.ts'
import { createPaymentContexts } from './payment-contexts.ts'
import { refundSpans } from './refund-spans.ts'
import { createRequestMetrics } from './request-metrics.ts'
import { samplerOf } from './sampler-of.ts'
import { startRequestTrace } from './start-request-trace.ts'
import type { Telemetry, TelemetryOptions } from './telemetry.ts'

const scopeName = '@farebox/gateway'
/** Of a path, which a client chooses. */
const maxAttributeLength = 512

/**
 * Sends spans and metrics in batches beside the requests. What a collector does not take in time is
 * dropped: at most 2,048 spans wait for it.
 */
export async function exportTelemetry(
  target: OtlpTarget,
  options: TelemetryOptions,
): Promise<Telemetry> {
  const { config, version, now } = options
  const exporters = await openExporters(target, options.logger)
  const resource = resourceOf(config, version)
  const spans = openTracer(exporters, config, resource)
  const metrics = openMeter(exporters, options, resource)
  const tracer = spans.getTracer(scopeName, version)
  const contexts = createPaymentContexts()
  return {
    startTrace: startRequestTrace({
      tracer,
      contexts,
      metrics: createRequestMetrics(metrics.getMeter(scopeName, version)),
    }),
    observe: refundSpans({ tracer, contexts, now }),
    close: async () => {
      // An export that fails was logged.
      await Promise.allSettled([spans.shutdown(), metrics.shutdown()])
    },
  }
}

function openTracer({ spans }: Exporters, config: Config, resource: Resource): TracerProvider {
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
  { config, registry, version, now }: TelemetryOptions,
  resource: Resource,
): MeterProvider {
  if (exporter === undefined) return new MeterProvider()
  const scope = { name: scopeName, version }
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: config.OTEL_METRIC_EXPORT_INTERVAL,
    metricProducers: [prometheusProducer({ registry, scope, now })],
  })
  return new MeterProvider({ resource, readers: [reader] })
}

/** The names of this process. Those of the settings replace the others. */
function resourceOf(config: Config, version: string): Resource {
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: given } = config
  const attributes = {
    'service.name': 'farebox-gateway',
    'service.version': version,
    'service.instance.id': randomUUID(),
    ...given,
    ...(name !== undefined && { 'service.name': name }),
  }
  return defaultResource().merge(resourceFromAttributes(attributes))
}
