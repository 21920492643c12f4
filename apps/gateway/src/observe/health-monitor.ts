import type { Health } from '@farebox/api'
import type { PaymentNotice, SystemObstacle, TreasuryFault } from '@farebox/payments'

/** What clients see of the state of the payments. */
export type HealthMonitor = {
  observe(notice: PaymentNotice): void
  /** `degraded` while sales are stopped or refunds are paused. */
  readonly condition: () => Pick<Health, 'status' | 'issues'>
  /** Whether sales are stopped until the operator has checked the accounts. */
  readonly salesStopped: () => boolean
}

/** Monitors the sales and the refunds of a gateway. */
export function createHealthMonitor(): HealthMonitor {
  const stopped = new Set<TreasuryFault>()
  const paused = new Set<SystemObstacle>()
  return {
    observe: (notice) => {
      if (notice.type === 'sales_stopped') stopped.add(notice.reason)
      if (notice.type === 'sales_resumed') stopped.delete(notice.reason)
      if (notice.type === 'refunds_paused') paused.add(notice.reason)
      if (notice.type === 'refunds_resumed') paused.delete(notice.reason)
    },
    condition: () => {
      const issues = [
        ...(stopped.size > 0 ? (['sales_stopped'] as const) : []),
        ...(paused.size > 0 ? (['refunds_paused'] as const) : []),
      ]
      return issues.length === 0 ? { status: 'ok' } : { status: 'degraded', issues }
    },
    salesStopped: () => stopped.size > 0,
  }
}
