import type { Logger } from '@farebox/http/log'
import type { Observer } from '@farebox/payments'
import type { Registry } from 'prom-client'
import type { StartTrace } from '../observe/request-trace.ts'
import type { Config } from '../settings.ts'

/** Traces and metrics that are sent to a collector. */
export type Telemetry = {
  readonly startTrace: StartTrace
  readonly observe: Observer
  /** Sends what is left, waiting at most as long as two exports may take. */
  close(): Promise<void>
}

export type TelemetryOptions = {
  readonly config: Config
  readonly logger: Logger
  /** The metrics that Prometheus reads. */
  readonly registry: Registry
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}
