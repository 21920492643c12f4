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
  frozen: 1,
  unsettled: 200_000n,
}

test('metrics show what is at risk in channels and how many are frozen, from one reading, and not while the ledger cannot be read', async () => {
  const registry = new Registry()
  let isDown = false
  let readings = 0
  registerChannelMetrics(registry, {
    async channelTotals() {
      readings += 1
      if (isDown) throw new Error('the database does not respond')
      return totals
    },
  })
  const first = await registry.metrics()
  expect(first).toContain('\nfarebox_channels_at_risk_usdc 0.75\n')
  expect(first).toContain('\nfarebox_channels_frozen 1\n')
  expect(readings).toBe(1)
  isDown = true
  expect(await registry.metrics()).not.toMatch(/^farebox_channels_(?:at_risk_usdc|frozen)/m)
  isDown = false
  expect(await registry.metrics()).toContain('\nfarebox_channels_at_risk_usdc 0.75\n')
})
