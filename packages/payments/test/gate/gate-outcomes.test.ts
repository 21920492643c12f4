import { randomBytes } from 'node:crypto'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { createMemoryStore } from '@farebox/ledger'
import type { Facilitator } from '@farebox/payments/chain'
import { toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { cancelNonce, executeAuthorization } from '../support/on-chain.ts'
import { network, signAuthorization, usdc } from '../support/pay.ts'
import {
  admitted,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  sell,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 60 })
  return devnet
})

const answer = {
  statusCode: 200,
  contentType: 'application/json',
  body: new TextEncoder().encode('{"ok":true}'),
}
const otherDigest = { requestDigest: 'b'.repeat(64) }
const expensive = {
  ...otherDigest,
  offers: [{ amount: usdc(99n), model: 'm', priceVersion: 'v1' }],
} as const

test('an amount that matches no offer gets a new 402 and is not claimed', async () => {
  const paywall = open()
  const { v2, signed } = await payHeaders(devnet, freshPayer(), { value: price - 1n })
  const admission = await paywall.gate.admit(requestFor(v2))
  expect(admission.status).toBe('required')
  const { from, nonce } = signed.message
  const key = { chainId: network.chainId, asset: network.usdc, from, nonce }
  expect(await paywall.store.findByAuthorization(key)).toBeUndefined()
})

test('an older offer is still honored', async () => {
  const paywall = open()
  const { v2 } = await payHeaders(devnet, freshPayer())
  const offers = [
    { amount: usdc(20_000n), model: 'sandbox/echo', priceVersion: 'v2' },
    { amount: usdc(price), model: 'sandbox/echo', priceVersion: 'v1' },
  ] as const
  const payment = admitted(await paywall.gate.admit(requestFor(v2, { offers })))
  expect(payment.priceVersion).toBe('v1')
})

test('a signature by another account is rejected and not claimed', async () => {
  const paywall = open()
  const victim = freshPayer()
  const { v2, signed } = await payHeaders(devnet, freshPayer(), { from: victim.address })
  const admission = await paywall.gate.admit(requestFor(v2))
  expect(admission.status).toBe('rejected')
  expect(admission).toHaveProperty('body.x402Version', 1)
  const { from, nonce } = signed.message
  expect(from).toBe(victim.address)
  const key = { chainId: network.chainId, asset: network.usdc, from, nonce }
  expect(await paywall.store.findByAuthorization(key)).toBeUndefined()
  expect(await devnet.usdcBalance(victim.address)).toBe(1_000_000_000n)
})

test('a completed payment replays its response, then is spent, and never pays for another request', async () => {
  const paywall = open({ policy: { replayMs: 60_000 } })
  const { v1, v2 } = await payHeaders(devnet, freshPayer())
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  const busy = await paywall.gate.admit(requestFor(v2))
  expect(busy).toMatchObject({ status: 'pending', code: 'payment_in_flight' })
  await paywall.gate.complete(begun.payment, { cost: usdc(1n), usage: null, answer })

  const replayed = await paywall.gate.admit(requestFor(v1))
  expect(replayed).toMatchObject({ status: 'replayed', answer: { statusCode: 200 } })
  expect(replayed).toHaveProperty('headers.X-PAYMENT-RESPONSE')
  const reused = await paywall.gate.admit(requestFor(v2, otherDigest))
  expect(reused).toMatchObject({ status: 'spent', code: 'authorization_reused' })
  const forExpensive = await paywall.gate.admit(requestFor(v2, expensive))
  expect(forExpensive).toMatchObject({ status: 'spent', code: 'authorization_reused' })

  paywall.passSeconds(400)
  const spent = await paywall.gate.admit(requestFor(v2))
  expect(spent).toMatchObject({ status: 'spent', code: 'authorization_used' })
  expect(spent).toHaveProperty('headers.X-Payment-Id', begun.payment.id)
})

test('an authorization alone, which is public, gets neither the id of its payment nor its answer', async () => {
  const shop = open({ policy: { replayMs: 60_000 } })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const withSecret = { ...v2, 'x-replay-secret': 'a secret of the client' }
  const payment = admitted(await shop.gate.admit(requestFor(withSecret)))
  const begun = await shop.gate.begin(payment)
  await shop.gate.complete(begun.payment, { cost: usdc(1n), usage: null, answer })
  const guesses = [
    requestFor(v2),
    requestFor(v2, otherDigest),
    requestFor({ ...v2, 'x-replay-secret': 'another' }),
  ]
  for (const guess of guesses) {
    const refused = await shop.gate.admit(guess)
    expect(refused).toMatchObject({ status: 'spent', code: 'authorization_reused' })
    expect(refused).not.toHaveProperty('headers.X-Payment-Id')
  }
  expect(await shop.gate.admit(requestFor(withSecret))).toMatchObject({ status: 'replayed' })
})

test('the identical request is resumed although the price has changed', async () => {
  const paywall = open()
  const { v2 } = await payHeaders(devnet, freshPayer())
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  await paywall.gate.abandon(payment, 'client_left')
  const offers = [{ amount: usdc(5n), model: 'sandbox/echo', priceVersion: 'v3' }] as const
  expect(admitted(await paywall.gate.admit(requestFor(v2, { offers }))).id).toBe(payment.id)
})

test('a store or a node that is down before the claim makes the gate unavailable, and no money moves', async () => {
  const broken = createMemoryStore({ around: () => Promise.reject(new Error('down')) })
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const noStore = await open({ store: broken }).gate.admit(requestFor(v2))
  expect(noStore).toMatchObject({ status: 'unavailable', code: 'payments_unavailable' })
  const noChain = await open({ rpcUrl: 'http://127.0.0.1:1' }).gate.admit(requestFor(v2))
  expect(noChain).toMatchObject({ message: expect.stringMatching('This request moved no money') })
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('a payer without funds gets a 402 that states it, and the same authorization once it has them', async () => {
  const paywall = open()
  const payer = freshPayer()
  const value = 2_000_000_000n
  const { v2, signed } = await payHeaders(devnet, payer, { value })
  const offers = [{ amount: usdc(value), model: 'm', priceVersion: 'v1' }] as const
  const admission = await paywall.gate.admit(requestFor(v2, { offers }))
  const message = `${payer.address.toLowerCase()} holds 1000 USDC on the devnet; 2000 is needed.`
  expect(admission).toMatchObject({ status: 'rejected', body: { message } })
  const { from, nonce } = signed.message
  const key = { chainId: network.chainId, asset: network.usdc, from, nonce }
  expect(await paywall.store.findByAuthorization(key)).toBeUndefined()
  await devnet.mint(payer.address, value)
  admitted(await paywall.gate.admit(requestFor(v2, { offers })))
})

test('an authorization that is valid for longer than a 402 may be paid is refused', async () => {
  const paywall = open()
  const inAnHour = Math.floor(paywall.clock() / 1000) + 3_600
  const { v2 } = await payHeaders(devnet, freshPayer(), { validBefore: inAnHour })
  const admission = await paywall.gate.admit(requestFor(v2))
  expect(admission.status).toBe('rejected')
  const ahead = Math.floor(paywall.clock() / 1000) + 350
  const { v2: skewed } = await payHeaders(devnet, freshPayer(), { validBefore: ahead })
  admitted(await paywall.gate.admit(requestFor(skewed)))
})

const liar: Facilitator = {
  name: 'liar',
  settle: async () => ({ status: 'settled', transaction: toHex(randomBytes(32)) }),
}
const hanging: Facilitator = { name: 'hanging', settle: () => new Promise(() => undefined) }
const throwing: Facilitator = {
  name: 'throwing',
  settle: () => Promise.reject(new Error('a broken promise')),
}

test.each([
  { ...liar, reason: 'settlement_not_found' },
  { ...hanging, reason: 'facilitator_timeout' },
  { ...throwing, reason: 'facilitator_failed' },
])(
  'a facilitator that is $name: unknown, never a 402; the identical request resumes it',
  async ({ reason, ...bad }) => {
    const store = createMemoryStore()
    const paywall = open({
      store,
      facilitator: bad,
      policy: { settleTimeoutMs: 100, proofTimeoutMs: 100 },
    })
    const payer = freshPayer()
    const { v2 } = await payHeaders(devnet, payer)
    const first = await paywall.gate.admit(requestFor(v2))
    expect(first).toMatchObject({
      code: 'settlement_unknown',
      headers: { 'Retry-After': expect.any(String), 'X-Payment-Id': expect.any(String) },
    })
    expect(paywall.notices).toMatchObject([{ type: 'payment_unknown', reason }])

    const healthy = open({ store, owner: 'replica-2' })
    healthy.passSeconds(6)
    const resumed = admitted(await healthy.gate.admit(requestFor(v2)))
    expect(first).toHaveProperty('payment.id', resumed.id)
    expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - price)
  },
)

test('a settlement whose response is lost is found in the logs and served at once', async () => {
  const real = open().facilitator
  const forgetful: Facilitator = {
    name: 'forgetful',
    async settle(payment, signal) {
      await real.settle(payment, signal)
      return { status: 'unknown', reason: 'connection_reset', transaction: null }
    },
  }
  const { v2 } = await payHeaders(devnet, freshPayer())
  const { status } = await open({ facilitator: forgetful }).gate.admit(requestFor(v2))
  expect(status).toBe('settled')
})

test('a payment that was settled although the facilitator rejected it is served', async () => {
  const real = open().facilitator
  const denier: Facilitator = {
    name: 'denier',
    async settle(payment, signal) {
      await real.settle(payment, signal)
      return { status: 'rejected', reason: 'invalid_exact_evm_insufficient_balance' }
    },
  }
  const { v2 } = await payHeaders(devnet, freshPayer())
  const { status } = await open({ facilitator: denier }).gate.admit(requestFor(v2))
  expect(status).toBe('settled')
})

test('a rejection that the chain contradicts is unknown, not a 402', async () => {
  const denier: Facilitator = {
    name: 'denier',
    settle: async () => ({ status: 'rejected', reason: 'insufficient_funds' }),
  }
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await devnet.mint(address, price)
  const { v2 } = await payHeaders(devnet, { privateKey, address })
  const { gate } = open({ facilitator: denier })
  expect(await gate.admit(requestFor(v2))).toMatchObject({ code: 'settlement_unknown' })
})

test('another transfer with the same nonce to another account: no service, no refund', async () => {
  const paywall = open()
  const payer = freshPayer()
  const nonce = toHex(randomBytes(32))
  const { v2 } = await payHeaders(devnet, payer, { nonce })
  const twin = await signAuthorization({
    signer: payer,
    to: freshPayer().address,
    value: 1n,
    nonce,
  })
  await executeAuthorization(devnet, twin)
  const admission = await paywall.gate.admit(requestFor(v2))
  expect(admission.status).toBe('rejected')
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - 1n)
})

test('a canceled authorization: no service, no refund', async () => {
  const paywall = open()
  const payer = freshPayer()
  const nonce = toHex(randomBytes(32))
  const { v2 } = await payHeaders(devnet, payer, { nonce })
  await cancelNonce(devnet, payer, nonce)
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('an authorization that was executed before its claim is refunded, not served', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2, signed } = await payHeaders(devnet, payer)
  await executeAuthorization(devnet, signed)
  const admission = await paywall.gate.admit(requestFor(v2))
  expect(admission).toMatchObject({ status: 'spent', code: 'authorization_used' })
  expect(paywall.notices.map(({ type }) => type)).toEqual(['payment_unsolicited'])
  await recoverUnsolicited(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('a rejected authorization that is executed later is refunded in full', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2, signed } = await payHeaders(devnet, payer)
  await devnet.blacklist(payer.address)
  const rejected = await paywall.gate.admit(requestFor(v2))
  expect(rejected.status).toBe('rejected')
  expect(paywall.notices).toMatchObject([{ type: 'payment_rejected' }])
  await devnet.unBlacklist(payer.address)
  await executeAuthorization(devnet, signed)
  await recoverUnsolicited(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('a payment whose service was ended by recovery can no longer be completed', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  const { payment: late } = await paywall.gate.complete(begun.payment, {
    cost: usdc(1n),
    usage: null,
    answer: null,
  })
  expect(late).toMatchObject({ status: 'failed', cost: 0n, reason: 'service_interrupted' })
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('a settled payment that is never requested again is refunded after a while', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  paywall.passSeconds(40)
  await paywall.recovery.runOnce()
  expect((await reload(paywall, payment)).status).toBe('settled')
  paywall.passSeconds(30)
  await paywall.recovery.runOnce()
  expect(await reload(paywall, payment)).toMatchObject({ status: 'failed', reason: 'not_resumed' })
  expect(paywall.notices.at(-1)).toMatchObject({ type: 'payment_failed', reason: 'not_resumed' })
  expect(await paywall.gate.begin(payment)).toMatchObject({
    status: 'pending',
    code: 'payment_in_flight',
  })
})

test.each([
  ['client_left', 300n, { status: 'completed', cost: 300n }],
  ['client_left', 1n, { status: 'completed', cost: 1n }],
  ['client_left', 0n, { status: 'failed', cost: 0n, reason: 'not_resumed' }],
  ['service_stopping', 300n, { status: 'failed', cost: 0n, reason: 'not_resumed' }],
] as const)(
  'abandoned before its service began (%s, charge %d)',
  async (cause, charge, expected) => {
    const paywall = open({ policy: { abandonCharge: usdc(charge) } })
    const payer = freshPayer()
    const { v2 } = await payHeaders(devnet, payer)
    const payment = admitted(await paywall.gate.admit(requestFor(v2)))
    await paywall.gate.abandon(payment, cause)
    paywall.passSeconds(70)
    await paywall.recovery.runOnce()
    expect(await reload(paywall, payment)).toMatchObject(expected)
    expect(paywall.notices.at(-1)).toMatchObject({ type: `payment_${expected.status}` })
    await runRefunds(paywall)
    expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - expected.cost)
  },
)

test('a refund of the minimum gets its own transfer, a smaller one waits for others', async () => {
  const paywall = open({ refundMinimum: 6_000n })
  const alone = await sell(paywall, freshPayer(), price - 6_000n)
  const small = await sell(paywall, freshPayer(), price - 5_999n)
  expect([alone.refund?.status, small.refund?.status]).toEqual(['due', 'accruing'])
})

test('a settled payment that is requested too late is refunded, whether or not recovery has run', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const left = admitted(await paywall.gate.admit(requestFor(v2)))
  await paywall.gate.abandon(left, 'service_stopping')
  paywall.passSeconds(61)
  expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({
    status: 'spent',
    code: 'authorization_used',
    payment: { status: 'failed', reason: 'not_resumed' },
  })
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('a failed service is refunded in full and replays its response', async () => {
  const paywall = open()
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.fail(begun.payment, { reason: 'upstream_failed', answer })
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('replayed')
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

/** Unsolicited money is refunded when its transfer is final. */
async function recoverUnsolicited(paywall: TestPaywall): Promise<void> {
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  await devnet.mine(3)
  paywall.passSeconds(61)
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
}
