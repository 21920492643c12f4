import { otlpTarget } from '@farebox/http/settings'
import type { Telemetry, TelemetryOptions } from './telemetry.ts'

/** Opens the export that is configured; without an address, OpenTelemetry's SDK is not loaded. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry | undefined> {
  const target = otlpTarget(options.config)
  if (target === undefined) return undefined
  const { exportTelemetry } = await import('./export-telemetry.ts')
  return exportTelemetry(target, options)
}
