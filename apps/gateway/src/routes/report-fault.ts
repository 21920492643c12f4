import type { Logger } from '@farebox/http/log'
import type { Metrics } from '../observe/metrics.ts'

/** A request that failed by a fault of the gateway, and which one. */
export type RequestFault = {
  readonly err: unknown
  readonly requestId?: string | undefined
  readonly paymentId?: string
}

export type ReportFault = (fault: RequestFault) => void

/** Logs and counts requests that fail. The faults of background work are events of payments. */
export function createFaultReport(logger: Logger, metrics: Metrics): ReportFault {
  return (fault) => {
    metrics.payments.inc({ event: 'fault' })
    logger.error({ event: 'fault', ...fault })
  }
}
