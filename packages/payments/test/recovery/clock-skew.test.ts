import { type Devnet, startDevnet } from '@farebox/devnet'
import type { Facilitator } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { cancelNonce, executeAuthorization } from '../support/on-chain.ts'
import { nowSeconds, usdc } from '../support/pay.ts'
import {
  admitted,
  finishRefunds,
  payHeaders,
  price,
  reload,
  requestFor,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { balance, open, payer } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

/** A served call that cost all that was paid, with what its payer signed. */
async function sellWhole(paywall: TestPaywall) {
  const { v2, signed } = await payHeaders(devnet, payer(0))
  const { payment } = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.complete(payment, { cost: usdc(price), usage: null, answer: null })
  return { payment, signed }
}

/** A facilitator that never answers, so that only the chain decides. */
const silent = { name: 'silent', settle: () => new Promise<never>(() => undefined) }
const unanswered = { facilitator: silent, policy: { settleTimeoutMs: 50, proofTimeoutMs: 0 } }

test('a settlement that vanished is sent again while the chain takes it, although the clock here is ahead', async () => {
  const paywall = open()
  const { payment } = await sellWhole(paywall)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds)
  paywall.passSeconds(400)
  await paywall.recovery.runOnce()
  expect(await balance(0)).toBe(funds - price)
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  expect(await reload(paywall, payment)).toMatchObject({
    settlement: { block: expect.any(Number) },
    reason: null,
  })
})

test('a settlement that vanished is not sent again once it has expired on the chain', async () => {
  const { store, facilitator } = open()
  let attempts = 0
  const counted: Facilitator = {
    name: 'counted',
    settle: async (...settlement) => {
      attempts += 1
      return await facilitator.settle(...settlement)
    },
  }
  const paywall = open({ store, facilitator: counted })
  const { payment } = await sellWhole(paywall)
  await devnet.reorg(1)
  await devnet.setNextBlockTimestamp(BigInt(payment.authorization.validBefore))
  await devnet.mine(1)
  for (let round = 0; round < 2; round += 1) {
    paywall.passSeconds(31)
    await paywall.recovery.runOnce()
  }
  expect(attempts).toBe(1)
  expect(await reload(paywall, payment)).toMatchObject({ settlement: null, reason: null })
})

test('a settlement that a cancellation replaced is not given up while the chain could still take it', async () => {
  const paywall = open()
  const { payment, signed } = await sellWhole(paywall)
  await devnet.reorg(1)
  await cancelNonce(devnet, payer(0), signed.message.nonce)
  paywall.passSeconds(400)
  await paywall.recovery.runOnce()
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  expect(await reload(paywall, payment)).toMatchObject({ settlement: null, reason: null })
  // The cancellation vanishes too.
  await devnet.reorg(1)
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  expect(await balance(0)).toBe(funds - price)
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, payment)).settlement).not.toBeNull()
})

test('an authorization that has expired here and not on the chain is refunded if it is executed, not void', async () => {
  const paywall = open(unanswered)
  const { v2, signed } = await payHeaders(devnet, payer(0))
  const admission = await paywall.gate.admit(requestFor(v2))
  if (admission.status !== 'pending') throw new Error(admission.status)
  paywall.passSeconds(1_000)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, admission.payment)).status).toBe('unknown')
  await executeAuthorization(devnet, signed)
  await paywall.recovery.runOnce()
  paywall.passSeconds(1_000)
  await paywall.recovery.runOnce()
  await finishRefunds(paywall)
  expect(await reload(paywall, admission.payment)).toMatchObject({
    refund: { amount: price, status: 'confirmed' },
  })
  expect(await balance(0)).toBe(funds)
})

test.each([0, 5])(
  'an authorization whose time on the chain ended %d seconds ago is refused where the clock is behind, and moves no money',
  async (seconds) => {
    const paywall = open()
    const validBefore = nowSeconds() + 30
    const { v2, signed } = await payHeaders(devnet, payer(0), { validBefore })
    await devnet.setNextBlockTimestamp(BigInt(validBefore + seconds))
    await devnet.mine(1)
    expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
    expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
    await expect(executeAuthorization(devnet, signed)).rejects.toThrow(/expired/)
    expect(await balance(0)).toBe(funds)
  },
)

test('an authorization that is not valid yet on the chain is refused where the clock is ahead', async () => {
  const paywall = open()
  paywall.passSeconds(200)
  const validAfter = nowSeconds() + 100
  const validBefore = validAfter + 300
  const { v2 } = await payHeaders(devnet, payer(0), { validAfter, validBefore })
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  expect(await balance(0)).toBe(funds)
  await devnet.increaseTime(200)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
})
