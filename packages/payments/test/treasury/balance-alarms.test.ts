import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { usdc } from '../support/pay.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

test('too little in the treasury or with the relayer raises an alarm, once a minute', async () => {
  const paywall = open({ policy: { minTreasury: usdc(10n ** 12n), minRelayerWei: 10n ** 24n } })
  await paywall.treasuryMonitor.runOnce()
  await paywall.treasuryMonitor.runOnce()
  const raised = () =>
    paywall.notices.map(({ type }) => type).filter((type) => type.endsWith('_low'))
  expect(raised()).toEqual(['treasury_low', 'relayer_low'])
  paywall.passSeconds(61)
  await paywall.treasuryMonitor.runOnce()
  expect(raised()).toHaveLength(4)
})

test('enough in the treasury and with the relayer raises none', async () => {
  const paywall = open({ policy: { minTreasury: usdc(0n), minRelayerWei: 1n } })
  await paywall.treasuryMonitor.runOnce()
  expect(paywall.notices).toMatchObject([{ type: 'balances_read', relayer: expect.any(BigInt) }])
})

test('an alarm ends once the balance is enough again', async () => {
  const paywall = open({ policy: { minTreasury: usdc(10n), minRelayerWei: 1n } })
  const types = () => paywall.notices.map(({ type }) => type)
  await paywall.treasuryMonitor.runOnce()
  expect(types()).toEqual(['balances_read', 'treasury_low'])
  await devnet.mint(devnet.treasury.address, 10n)
  paywall.passSeconds(61)
  await paywall.treasuryMonitor.runOnce()
  expect(types()).toEqual(['balances_read', 'treasury_low', 'balances_read', 'treasury_funded'])
})
