import type { Logger } from '@farebox/http/log'
import type { Observer } from '@farebox/payments'
import { stopWithoutGas } from '../chain/stop-without-gas.ts'
import type { SettleRefusals } from '../dependencies/settle-refusals.ts'
import type { HealthMonitor } from '../observe/health-monitor.ts'
import type { Metrics } from '../observe/metrics.ts'
import { paymentLog } from '../observe/payment-log.ts'
import { paymentMetrics } from '../observe/payment-metrics.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'

export type ObserverParts = {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly telemetry: Telemetry | undefined
  readonly health: HealthMonitor
  readonly settleRefusals: SettleRefusals
  /** Milliseconds. */
  readonly now: () => number
}

/** Passes each event of a payment to the log, the metrics, the health and the traces. */
export function composeObserver(parts: ObserverParts): Observer {
  const { logger, metrics, telemetry, health, settleRefusals, now } = parts
  const observers: readonly Observer[] = [
    paymentLog(logger, now),
    paymentMetrics(metrics),
    health.observe,
    settleRefusals.observe,
    ...(telemetry === undefined ? [] : [telemetry.observe]),
  ]
  return stopWithoutGas((notice) => {
    for (const observe of observers) observe(notice)
  })
}
