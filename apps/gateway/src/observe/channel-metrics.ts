import type { LedgerStore } from '@farebox/ledger'
import { Gauge, type Registry } from 'prom-client'

/** Adds what is at risk in payment channels to a registry. The ledger is read when the metrics are. */
export function registerChannelMetrics(
  registry: Registry,
  store: Pick<LedgerStore, 'channelTotals'>,
): void {
  new Gauge({
    name: 'farebox_channels_at_risk_usdc',
    help: 'What can be claimed from payment channels, and the ceilings of their calls in flight, in USDC; missing while the ledger cannot be read',
    registers: [registry],
    async collect() {
      await store.channelTotals().then(
        ({ claimable, reserved }) => this.set(Number(claimable + reserved) / 1e6),
        () => {
          this.remove()
        },
      )
    },
  })
}
