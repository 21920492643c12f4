import type { GasPaid, PaymentRecord } from '@farebox/ledger'
import type { Observer, PaymentNotice } from '@farebox/payments'
import { eventOf } from './fault-log.ts'
import type { Metrics } from './metrics.ts'

/** Counts payment events, sales, tokens and money for monitoring. The ledger has the exact sums. */
export function paymentMetrics(metrics: Metrics): Observer {
  return (notice) => {
    metrics.payments.inc({ event: notice.type === 'fault' ? eventOf(notice) : notice.type })
    switch (notice.type) {
      case 'refunds_paused':
        return metrics.refundsPaused.set(1)
      case 'refunds_resumed':
        return metrics.refundsPaused.set(0)
      case 'sales_stopped':
        return metrics.salesStopped.set({ reason: notice.reason }, 1)
      case 'sales_resumed':
        return metrics.salesStopped.set({ reason: notice.reason }, 0)
      case 'channels_stopped':
        return metrics.channelsStopped.set({ reason: notice.reason }, 1)
      case 'channels_resumed':
        return metrics.channelsStopped.set({ reason: notice.reason }, 0)
      case 'channels_claimed':
        return countClaims(metrics, notice)
      case 'channels_settled':
        return metrics.channelsSettled.inc(Number(notice.amount) / 1e6)
      case 'balances_read':
        metrics.treasury.set(Number(notice.treasury) / 1e6)
        if (notice.relayer !== null) metrics.relayer.set(Number(notice.relayer) / 1e18)
        return
      case 'gas_paid':
        return countGas(metrics, notice.paid)
      case 'service_ahead_lost':
        return metrics.overlapLost.inc(Number(notice.payment.authorization.value) / 1e6)
      case 'payment_completed':
        return countSale(metrics, notice.payment)
      default:
        return
    }
  }
}

function countClaims(
  metrics: Metrics,
  { claimed, refused, waiting }: Extract<PaymentNotice, { readonly type: 'channels_claimed' }>,
): void {
  metrics.channelClaims.inc({ outcome: 'claimed' }, claimed)
  metrics.channelClaims.inc({ outcome: 'refused' }, refused)
  metrics.channelClaims.inc({ outcome: 'waiting' }, waiting)
}

function countGas(metrics: Metrics, { purpose, succeeded, fee }: GasPaid): void {
  metrics.relayerTransactions.inc({ purpose, outcome: succeeded ? 'success' : 'reverted' })
  metrics.gas.inc({ purpose }, Number(fee) / 1e18)
}

function countSale(metrics: Metrics, { model, cost, authorization, usage }: PaymentRecord): void {
  metrics.sales.inc({ model })
  metrics.revenue.inc({ model }, Number(cost ?? 0n) / 1e6)
  metrics.paid.inc({ model }, Number(authorization.value) / 1e6)
  metrics.tokens.inc({ model, direction: 'input' }, usage?.inputTokens ?? 0)
  metrics.tokens.inc({ model, direction: 'output' }, usage?.outputTokens ?? 0)
}
