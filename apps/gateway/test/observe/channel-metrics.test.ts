import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { registerChannelMetrics } from '../../src/observe/channel-metrics.ts'

const totals = {
  channels: 2,
  deposited: 5_000_000n,
  returned: 0n,
  charged: 900_000n,
  reserved: 50_000n,
  claimed: 200_000n,
  claimable: 700_000n,
  unsettled: 200_000n,
}

test('metrics tell what is at risk in channels, and not while the ledger cannot be read', async () => {
  const registry = new Registry()
  let isDown = false
  registerChannelMetrics(registry, {
    async channelTotals() {
      if (isDown) throw new Error('the database does not respond')
      return totals
    },
  })
  expect(await registry.metrics()).toContain('\nfarebox_channels_at_risk_usdc 0.75\n')
  isDown = true
  expect(await registry.metrics()).not.toContain('\nfarebox_channels_at_risk_usdc')
  isDown = false
  expect(await registry.metrics()).toContain('\nfarebox_channels_at_risk_usdc 0.75\n')
})
