import type { PaymentRecord } from '@farebox/ledger'
import type { Observer } from '@farebox/payments'
import type { Metrics } from './metrics.ts'

/** Counts payment events, sales, tokens and money. Sums are for monitoring; the ledger has the books. */
export function paymentMetrics(metrics: Metrics): Observer {
  return (notice) => {
    metrics.payments.inc({ event: notice.type })
    switch (notice.type) {
      case 'refunds_paused':
        return metrics.refundsPaused.set(1)
      case 'refunds_resumed':
        return metrics.refundsPaused.set(0)
      case 'sales_stopped':
        return metrics.salesStopped.set({ reason: notice.reason }, 1)
      case 'sales_resumed':
        return metrics.salesStopped.set({ reason: notice.reason }, 0)
      case 'balances_read':
        metrics.treasury.set(Number(notice.treasury) / 1e6)
        if (notice.relayer !== null) metrics.relayer.set(Number(notice.relayer) / 1e18)
        return
      case 'service_ahead_lost':
        return metrics.aheadLost.inc(Number(notice.payment.authorization.value) / 1e6)
      case 'payment_completed':
        return countSale(metrics, notice.payment)
      default:
        return
    }
  }
}

function countSale(metrics: Metrics, { model, cost, authorization, usage }: PaymentRecord): void {
  metrics.sales.inc({ model })
  metrics.revenue.inc({ model }, Number(cost ?? 0n) / 1e6)
  metrics.paid.inc({ model }, Number(authorization.value) / 1e6)
  metrics.tokens.inc({ model, direction: 'input' }, usage?.inputTokens ?? 0)
  metrics.tokens.inc({ model, direction: 'output' }, usage?.outputTokens ?? 0)
}
