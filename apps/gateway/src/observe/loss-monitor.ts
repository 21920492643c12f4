import type { Logger } from '@farebox/http/log'
import { formatUsd, formatUsdc, toUsd, type Usd, type Usdc } from '@farebox/money'
import type { Metrics } from './metrics.ts'

/** A payment record, or a call of the free quota with the most that it can cost. */
export type SoldCall = {
  readonly id?: string
  readonly model: string
  readonly authorization: { readonly value: Usdc }
}

/** Records what a provider bills for a call, in picodollars; undefined where it is not known. */
export type LossMonitor = (sold: SoldCall, upstream: Usd | undefined) => void

/**
 * Adds up what providers bill, and logs and counts sales that cost more than was paid: a price, a
 * token bound or the margin of an image model is too low. The payer owes nothing more.
 */
export function createLossMonitor(logger: Logger, metrics: Metrics): LossMonitor {
  return ({ id: paymentId, model, authorization: { value: paid } }, upstream) => {
    if (upstream === undefined) return
    metrics.upstream.inc({ model }, Number(upstream) / 1e12)
    if (upstream <= toUsd(paid)) return
    metrics.payments.inc({ event: 'sold_at_loss' })
    const figures = { paidUsd: formatUsdc(paid), upstreamUsd: formatUsd(upstream) }
    logger.warn({ event: 'sold_at_loss', paymentId, model, ...figures })
  }
}
