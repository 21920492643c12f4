import type { ExportResult } from '@opentelemetry/core'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../log/logger.ts'
import { createExportReport, type ExportReport } from './export-report.ts'
import type { OtlpTarget } from './otlp-target.ts'

export type Exporters = {
  readonly spans: SpanExporter | undefined
  readonly metrics: PushMetricExporter | undefined
}

/** Opens what the target asks for, and loads only the packages of its protocol. */
export async function openExporters(target: OtlpTarget, logger: Logger): Promise<Exporters> {
  const { tracesUrl, metricsUrl, headers, timeoutMs } = target
  const common = { headers: { ...headers }, timeoutMillis: timeoutMs }
  const { OTLPTraceExporter, OTLPMetricExporter } = await exporterClasses(target.protocol)
  return {
    spans:
      tracesUrl === undefined
        ? undefined
        : reporting(
            new OTLPTraceExporter({ ...common, url: tracesUrl }),
            createExportReport('traces', logger),
          ),
    metrics:
      metricsUrl === undefined
        ? undefined
        : reporting(
            new OTLPMetricExporter({ ...common, url: metricsUrl }),
            createExportReport('metrics', logger),
          ),
  }
}

async function exporterClasses(protocol: OtlpTarget['protocol']) {
  const [{ OTLPTraceExporter }, { OTLPMetricExporter }] = await Promise.all(
    protocol === 'http/json'
      ? [
          import('@opentelemetry/exporter-trace-otlp-http'),
          import('@opentelemetry/exporter-metrics-otlp-http'),
        ]
      : [
          import('@opentelemetry/exporter-trace-otlp-proto'),
          import('@opentelemetry/exporter-metrics-otlp-proto'),
        ],
  )
  return { OTLPTraceExporter, OTLPMetricExporter }
}

type Exporting<Batch> = {
  export(batch: Batch, done: (result: ExportResult) => void): void
}

/** Reports each result of an exporter. */
function reporting<Batch, Exporter extends Exporting<Batch>>(
  exporter: Exporter & Exporting<Batch>,
  report: ExportReport,
): Exporter {
  const send = exporter.export.bind(exporter)
  exporter.export = (batch, done) => {
    send(batch, (result) => {
      report(result)
      done(result)
    })
  }
  return exporter
}
