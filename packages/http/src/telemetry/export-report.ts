import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { Logger } from '../log/logger.ts'

/** Takes the results of the exports of one signal. */
export type ExportReport = (result: ExportResult) => void

/** Logs when exports begin to fail and when they succeed again, not each one. */
export function createExportReport(signal: 'traces' | 'metrics', logger: Logger): ExportReport {
  let isDown = false
  return ({ code, error }) => {
    const failed = code === ExportResultCode.FAILED
    if (failed === isDown) return
    isDown = failed
    if (failed) logger.warn({ event: 'telemetry_down', signal, reason: reasonOf(error) })
    else logger.info({ event: 'telemetry_up', signal })
  }
}

/**
 * An HTTP status, an error code of the connection, or the exporter's message; never text from the
 * collector.
 */
function reasonOf(error: Error | undefined): string {
  const code = (error as { readonly code?: string | number } | undefined)?.code
  if (typeof code === 'number') return `HTTP ${code}`
  return code ?? error?.message ?? 'the export failed'
}
