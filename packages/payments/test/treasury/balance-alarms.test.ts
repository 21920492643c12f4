import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { usdc } from '../support/pay.ts'
import { shopsOn } from '../support/shops.ts'

let devnet: Devnet
const { open } = shopsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

test('too little in the treasury or with the relayer raises an alarm, once a minute', async () => {
  const shop = open({ policy: { leastTreasury: usdc(10n ** 12n), leastRelayerWei: 10n ** 24n } })
  await shop.treasuryMonitor.runOnce()
  await shop.treasuryMonitor.runOnce()
  const raised = () => shop.notices.map(({ type }) => type).filter((type) => type.endsWith('_low'))
  expect(raised()).toEqual(['treasury_low', 'relayer_low'])
  shop.passSeconds(61)
  await shop.treasuryMonitor.runOnce()
  expect(raised()).toHaveLength(4)
})

test('enough in the treasury and with the relayer raises none', async () => {
  const shop = open({ policy: { leastTreasury: usdc(0n), leastRelayerWei: 1n } })
  await shop.treasuryMonitor.runOnce()
  expect(shop.notices).toEqual([])
})
