import type { PaymentNotice } from '@farebox/payments'

/** What health checks say of the gateway, from what its payments report. */
export type HealthWatch = {
  observe(notice: PaymentNotice): void
  /** `degraded` while refunds stand still: answers are sold, what they did not cost waits. */
  readonly status: () => 'ok' | 'degraded'
}

/** Watches the refunds of a gateway. */
export function createHealthWatch(): HealthWatch {
  const paused = new Set<string>()
  return {
    observe: (notice) => {
      if (notice.type === 'refunds_paused') paused.add(notice.reason)
      if (notice.type === 'refunds_resumed') paused.delete(notice.reason)
    },
    status: () => (paused.size === 0 ? 'ok' : 'degraded'),
  }
}
