import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import type { Admission } from '../../src/gate/payment-gate.ts'
import { usdc } from '../support/pay.ts'
import {
  payHeaders,
  price,
  requestFor,
  runRefunds,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 24 })
  return devnet
})

const attempts = 10

/** Presents each authorization to both at once; the admissions of each paywall, in the same order. */
async function presentToBoth(one: TestPaywall, two: TestPaywall) {
  const signed = await Promise.all(
    Array.from({ length: attempts }, async () => (await payHeaders(devnet, freshPayer())).v2),
  )
  const presented = [one, two].map((paywall) =>
    Promise.all(signed.map((headers) => paywall.gate.admit(requestFor(headers)))),
  )
  return await Promise.all(presented)
}

test('of two ledgers with one relayer, one sells an authorization that reaches both at once', async () => {
  const [one, two] = [open(), open({ owner: 'another-gateway' })]
  await Promise.all([one, two].map(({ treasuryMonitor }) => treasuryMonitor.runOnce()))
  const [ofOne = [], ofTwo = []] = await presentToBoth(one, two)
  const sold = ofOne.map((admission, index) =>
    [admission, ofTwo[index]]
      .map((each) => each?.status)
      .toSorted()
      .join('+'),
  )
  expect(sold).toEqual(Array.from({ length: attempts }, () => 'rejected+settled'))

  // Sales stop with a reason, and no ledger refunds what the other one sold.
  await Promise.all([one, two].map(({ treasuryMonitor }) => treasuryMonitor.runOnce()))
  expect([...one.notices, ...two.notices]).toContainEqual(
    expect.objectContaining({ type: 'sales_stopped', reason: 'sale_unknown' }),
  )
  await Promise.all([serveSold(one, ofOne), serveSold(two, ofTwo)])
  await devnet.increaseTime(400)
  await devnet.mine(1)
  for (const paywall of [one, two]) {
    paywall.passSeconds(400)
    await paywall.recovery.runOnce()
    await runRefunds(paywall)
  }
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(BigInt(attempts) * price)
})

/** Each service costs all that was paid. */
async function serveSold({ gate }: TestPaywall, admissions: readonly Admission[]): Promise<void> {
  const outcome = { cost: usdc(price), usage: null, answer: null }
  for (const admission of admissions) {
    if (admission.status !== 'settled') continue
    const begun = await gate.begin(admission.payment)
    await gate.complete(begun.payment, outcome)
  }
}
