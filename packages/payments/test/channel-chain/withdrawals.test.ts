import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import { presentCall, refusalOf } from '../support/channel-payment.ts'
import {
  announceWithdrawal,
  beginCall,
  buyerOn,
  channelOf,
  complete,
  deposit,
  finishWithdrawal,
} from '../support/channel-setup.ts'
import { admitted } from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
const openAndBuy = buyerOn({ open, payer })

test.each([0, 450, 899])(
  'calls in flight when a withdrawal is announced are claimed when they end %d seconds later',
  async (seconds) => {
    const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
    const before = await beginCall(setup, payer(0), call)
    await announceWithdrawal(devnet, call.config, deposit)
    // Sold before the announcement was read.
    const unaware = { ceiling: 10_000n, base: 14_000n, digest: 'unaware' }
    const behind = admitted(await presentCall(setup.paywall, payer(0), unaware))
    await setup.rounds.runOnce()
    const late = { ceiling: 10_000n, base: 24_000n, digest: 'late' }
    expect(refusalOf(await presentCall(setup.paywall, payer(0), late))).toMatch(/pending/)
    if (seconds > 0) await devnet.increaseTime(seconds)
    await complete(setup.paywall, before, 7_000n)
    await complete(setup.paywall, behind, 6_000n)
    await setup.rounds.runOnce()
    expect(await channelOf(setup, call)).toMatchObject({ charged: 17_000n, claimed: 17_000n })
    await finishWithdrawal(devnet, call.config)
    await setup.rounds.runOnce()
    expect(await channelOf(setup, call)).toMatchObject({ returned: deposit - 17_000n })
    expect(await balance(0)).toBe(funds - 17_000n)
  },
)

test('a chain that is not watched sells nothing long before a withdrawal could be paid out', async () => {
  const { setup, call } = await openAndBuy()
  const inFlight = await beginCall(setup, payer(0), call)
  await announceWithdrawal(devnet, call.config, deposit)
  // An eighth of the delay.
  setup.paywall.passSeconds(113)
  const late = { ceiling: 10_000n, base: 14_000n, digest: 'late' }
  expect(refusalOf(await presentCall(setup.paywall, payer(0), late))).toMatch(
    /^channels_not_watched/,
  )
  await complete(setup.paywall, inFlight, 7_000n)
  await devnet.increaseTime(890)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ charged: 11_000n, claimed: 11_000n })
})
