import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { network, usdc } from '../support/pay.ts'
import { reload, sell, until } from '../support/shop.ts'
import { shopsOn } from '../support/shops.ts'

let devnet: Devnet
const { open, payer } = shopsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

test('a started worker sends refunds as they come, until it is stopped', async () => {
  const shop = open()
  shop.refunds.start()
  const payment = await sell(shop, payer(0), 4_000n)
  await until(async () => (await reload(shop, payment)).refund?.status === 'confirmed')
  await shop.refunds.stop()
  const later = await sell(shop, payer(0), 4_000n)
  expect((await reload(shop, later)).refund?.status).toBe('due')
})

test('a draining worker sends what is left before it stops', async () => {
  const shop = open()
  shop.refunds.start()
  await shop.refunds.stop()
  const payment = await sell(shop, payer(1), 4_000n)
  await shop.refunds.stop({ drainMs: 10_000 })
  expect((await reload(shop, payment)).refund?.status).toBe('confirmed')
})

test('started recovery runs by itself until it is stopped', async () => {
  const shop = open({ recovery: { pollSeconds: 0.01 }, gate: { leaseSeconds: 1 } })
  const payment = await sell(shop, payer(2), 10_000n)
  await devnet.mine(5)
  shop.passSeconds(2)
  shop.recovery.start()
  await until(async () => (await reload(shop, payment)).settlementFinal)
  await shop.recovery.stop()
  expect((await reload(shop, payment)).payload).toBeNull()
})

test('too little in the treasury or with the relayer raises an alarm, once a minute', async () => {
  const alarms = {
    asset: network.usdc,
    leastTreasury: usdc(10n ** 12n),
    relayer: devnet.relayer.address,
    leastRelayer: 10n ** 24n,
  }
  const shop = open({ refunds: { alarms } })
  await shop.refunds.runOnce()
  await shop.refunds.runOnce()
  const raised = () => shop.notices.map(({ type }) => type).filter((type) => type.endsWith('_low'))
  expect(raised()).toEqual(['treasury_low', 'relayer_low'])
  shop.passSeconds(61)
  await shop.refunds.runOnce()
  expect(raised()).toHaveLength(4)
})

test('enough in the treasury and with the relayer raises none', async () => {
  const relayer = devnet.relayer.address
  const alarms = { asset: network.usdc, leastTreasury: usdc(0n), relayer, leastRelayer: 1n }
  const shop = open({ refunds: { alarms } })
  await shop.refunds.runOnce()
  expect(shop.notices).toEqual([])
})
