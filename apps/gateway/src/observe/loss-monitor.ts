import type { PaymentRecord } from '@farebox/ledger'
import { formatUsd, formatUsdc, toUsd, type Usd } from '@farebox/money'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'

/** Looks at what a provider bills for a payment, in picodollars. */
export type LossWatch = (payment: PaymentRecord, upstream: Usd) => void

/**
 * Tells when a provider bills more than was paid. Nobody is asked for the rest; but a price, a bound
 * of tokens or the margin of an image model is then too low.
 */
export function createLossWatch(logger: Logger, metrics: Metrics): LossWatch {
  return ({ id: paymentId, model, authorization: { value: paid } }, upstream) => {
    if (upstream <= toUsd(paid)) return
    metrics.payments.inc({ event: 'sold_at_loss' })
    const figures = { paidUsd: formatUsdc(paid), upstreamUsd: formatUsd(upstream) }
    logger.warn({ event: 'sold_at_loss', paymentId, model, ...figures })
  }
}
