import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
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
  const shop = open({ policy: { recoveryPollMs: 10, leaseMs: 1_000 } })
  const payment = await sell(shop, payer(2), 10_000n)
  await devnet.mine(5)
  shop.passSeconds(2)
  shop.recovery.start()
  await until(async () => (await reload(shop, payment)).settlementFinal)
  await shop.recovery.stop()
  expect((await reload(shop, payment)).payload).toBeNull()
})
