import type { ChannelTotals, LedgerStore } from '@farebox/ledger'
import { Gauge, type Registry } from 'prom-client'

/**
 * Adds what is at risk in payment channels, and how many are frozen, to a registry. The ledger is read
 * when the metrics are, once for both.
 */
export function registerChannelMetrics(
  registry: Registry,
  store: Pick<LedgerStore, 'channelTotals'>,
): void {
  let reading: Promise<ChannelTotals | null> | null = null
  const totals = (): Promise<ChannelTotals | null> => {
    reading ??= store
      .channelTotals()
      .catch(() => null)
      .finally(() => {
        reading = null
      })
    return reading
  }
  const gauge = (name: string, help: string, amountOf: (read: ChannelTotals) => number): void => {
    new Gauge({
      name,
      help: `${help}; missing while the ledger cannot be read`,
      registers: [registry],
      async collect() {
        const read = await totals()
        if (read === null) this.remove()
        else this.set(amountOf(read))
      },
    })
  }
  gauge(
    'farebox_channels_at_risk_usdc',
    'What can be claimed from payment channels, and the ceilings of their calls in flight, in USDC',
    ({ claimable, reserved }) => Number(claimable + reserved) / 1e6,
  )
  gauge(
    'farebox_channels_frozen',
    'Payment channels that are frozen and still hold escrow by the ledger',
    ({ frozen }) => frozen,
  )
}
