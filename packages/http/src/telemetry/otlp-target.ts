import type { TelemetryConfig } from './telemetry-settings.ts'

/** Where traces and metrics are sent. */
export type OtlpTarget = {
  /** Undefined if traces are not exported. */
  readonly tracesUrl: string | undefined
  readonly metricsUrl: string | undefined
  readonly protocol: TelemetryConfig['OTEL_EXPORTER_OTLP_PROTOCOL']
  /** They may hold keys. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Undefined if no address is set. */
export function otlpTarget(config: TelemetryConfig): OtlpTarget | undefined {
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const tracesUrl = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? below(base, 'v1/traces')
  const metricsUrl = config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? below(base, 'v1/metrics')
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined
  return {
    tracesUrl,
    metricsUrl,
    protocol: config.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
  }
}

function below(base: string | undefined, path: string): string | undefined {
  return base === undefined ? undefined : `${base.replace(/\/$/, '')}/${path}`
}
