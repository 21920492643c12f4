import type { Health } from '@farebox/api'
import type { MoneyFault, PaymentNotice, SystemObstacle } from '@farebox/payments'

/** What the payments of a gateway report, as far as clients are told of it. */
export type HealthWatch = {
  observe(notice: PaymentNotice): void
  /** `degraded` while sales are stopped, or while answers are sold and refunds stand still. */
  readonly condition: () => Pick<Health, 'status' | 'issues'>
  /** Whether nothing may be sold until somebody has looked at the accounts. */
  readonly salesStopped: () => boolean
}

/** Watches the sales and the refunds of a gateway. */
export function createHealthWatch(): HealthWatch {
  const stopped = new Set<MoneyFault>()
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
