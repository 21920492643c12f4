import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { reload, sell, until } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

test('a started worker sends refunds as they come, until it is stopped', async () => {
  const paywall = open()
  paywall.refunds.start()
  const payment = await sell(paywall, payer(0), 4_000n)
  await until(async () => (await reload(paywall, payment)).refund?.status === 'confirmed')
  await paywall.refunds.stop()
  const later = await sell(paywall, payer(0), 4_000n)
  expect((await reload(paywall, later)).refund?.status).toBe('due')
})

test('a draining worker sends what is left before it stops', async () => {
  const paywall = open()
  paywall.refunds.start()
  await paywall.refunds.stop()
  const payment = await sell(paywall, payer(1), 4_000n)
  await paywall.refunds.stop({ drainMs: 10_000 })
  expect(['submitted', 'confirmed']).toContain((await reload(paywall, payment)).refund?.status)
})

test('started recovery runs until it is stopped', async () => {
  const paywall = open({ policy: { recoveryPollMs: 10, leaseMs: 1_000 } })
  const payment = await sell(paywall, payer(2), 10_000n)
  await devnet.mine(5)
  paywall.passSeconds(2)
  paywall.recovery.start()
  await until(async () => (await reload(paywall, payment)).settlementFinal)
  await paywall.recovery.stop()
  expect((await reload(paywall, payment)).payload).toBeNull()
})
