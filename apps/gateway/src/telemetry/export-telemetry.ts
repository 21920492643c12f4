import type { OtlpTarget } from '@farebox/http/settings'
import { openOtlp } from '@farebox/http/telemetry'
import { prometheusProducer } from './otlp/prometheus-producer.ts'
import { createPaymentContexts } from './payment-contexts.ts'
import { refundSpans } from './refund-spans.ts'
import { createRequestMetrics } from './request-metrics.ts'
import { startRequestTrace } from './start-request-trace.ts'
import type { Telemetry, TelemetryOptions } from './telemetry.ts'

/** Sends the spans of requests and refunds, and all metrics, to the collector. */
export async function exportTelemetry(
  target: OtlpTarget,
  { config, logger, registry, version, now }: TelemetryOptions,
): Promise<Telemetry> {
  const scope = { name: '@farebox/gateway', version }
  const producers = [prometheusProducer({ registry, scope, now })]
  const service = 'farebox-gateway'
  const otlp = await openOtlp(target, { config, logger, service, scope, producers })
  const { tracer, meter } = otlp
  const contexts = createPaymentContexts()
  return {
    startTrace: startRequestTrace({ tracer, contexts, metrics: createRequestMetrics(meter) }),
    observe: refundSpans({ tracer, contexts, now }),
    close: otlp.close,
  }
}
