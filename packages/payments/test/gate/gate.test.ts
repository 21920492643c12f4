import { type Devnet, startDevnet } from '@farebox/devnet'
import type { AdmissionStep } from '@farebox/payments'
import { beforeAll, expect, test } from 'vitest'
import { contextFor, encode, usdc, wirePayload } from '../support/pay.ts'
import {
  admitted,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
let paywall: TestPaywall
beforeAll(() => {
  paywall = open()
})

test('a request without a payment gets a 402 and stores nothing', async () => {
  const admission = await paywall.gate.admit(requestFor({}))
  expect(admission.status).toBe('required')
  expect(admission).toHaveProperty('headers.PAYMENT-REQUIRED')
})

test('a payment is settled, proven, served once, and the rest is refunded', async () => {
  const before = await devnet.usdcBalance(payer(0).address)
  const { v2 } = await payHeaders(devnet, payer(0))
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  expect(payment.settlement).not.toBeNull()
  expect(await devnet.usdcBalance(payer(0).address)).toBe(before - price)

  const begun = await paywall.gate.begin(payment)
  expect(begun.status).toBe('begun')
  expect((await paywall.gate.begin(payment)).status).toBe('pending')
  const { payment: done } = await paywall.gate.complete(begun.payment, {
    cost: usdc(4_000n),
    usage: { inputTokens: 3, outputTokens: 5, source: 'provider' },
    answer: null,
  })
  expect(done).toMatchObject({ status: 'completed', cost: 4_000n, refund: { amount: 6_000n } })

  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer(0).address)).toBe(before - 4_000n)
  expect((await paywall.store.load(payment.id))?.refund?.status).toBe('confirmed')
})

test('for a client that waits, the service begins in the step that records the proof', async () => {
  const { v2 } = await payHeaders(devnet, payer(3))
  const steps: AdmissionStep[] = []
  const onStep = (step: AdmissionStep): number => steps.push(step)
  const request = { ...requestFor(v2), isWanted: () => true, onStep }
  const payment = admitted(await paywall.gate.admit(request))
  expect(payment).toMatchObject({ status: 'serving', version: 2 })
  expect(steps).toEqual(['checked', 'solvent', 'claimed', 'proven'])
  expect((await paywall.gate.admit(request)).status).toBe('pending')
  expect(await paywall.gate.begin(payment)).toEqual({ status: 'begun', payment })
  const cost = usdc(4_000n)
  const { payment: done } = await paywall.gate.complete(payment, {
    cost,
    usage: null,
    answer: null,
  })
  expect(done).toMatchObject({ status: 'completed', version: 3, refund: { amount: 6_000n } })
})

test('for a client that disconnected, nothing begins with the proof', async () => {
  const { v2 } = await payHeaders(devnet, payer(4))
  const request = { ...requestFor(v2), isWanted: () => false }
  expect(admitted(await paywall.gate.admit(request)).status).toBe('settled')
})

test('50 copies at once, of both protocols, settle once and are admitted once', async () => {
  const before = await devnet.usdcBalance(payer(1).address)
  const { v1, v2 } = await payHeaders(devnet, payer(1))
  const copies = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? v1 : v2))
  const admissions = await Promise.all(
    copies.map((headers) => paywall.gate.admit(requestFor(headers))),
  )
  const count = (status: string) => admissions.filter((each) => each.status === status).length
  expect(count('settled')).toBe(1)
  expect(count('pending')).toBe(49)
  expect(await devnet.usdcBalance(payer(1).address)).toBe(before - price)
})

test('while sales are stopped nothing new is claimed, and earlier payments are still served', async () => {
  const before = await devnet.usdcBalance(payer(2).address)
  const fresh = await payHeaders(devnet, payer(2))
  const salesStoppedReason = 'model_unavailable'
  const rejected = await paywall.gate.admit({ ...requestFor(fresh.v2), salesStoppedReason })
  expect(rejected).toMatchObject({ status: 'unavailable', reason: salesStoppedReason })
  expect(await devnet.usdcBalance(payer(2).address)).toBe(before)

  const payment = admitted(await paywall.gate.admit(requestFor(fresh.v2)))
  const begun = await paywall.gate.begin(payment)
  const answer = {
    statusCode: 200,
    contentType: 'text/plain',
    body: new Uint8Array([1]),
  }
  await paywall.gate.complete(begun.payment, { cost: usdc(1_000n), usage: null, answer })
  expect(await paywall.gate.admit({ ...requestFor(fresh.v2), salesStoppedReason })).toMatchObject({
    status: 'replayed',
  })
})

test('a payment is found by its signature when it is final, and when its authorization has expired', async () => {
  const shop = open({ policy: { replayMs: 3_600_000 } })
  const { v2, signed } = await payHeaders(devnet, payer(5))
  const { payment } = await shop.gate.begin(admitted(await shop.gate.admit(requestFor(v2))))
  const answer = { statusCode: 200, contentType: 'text/plain', body: new Uint8Array([1]) }
  await shop.gate.complete(payment, { cost: usdc(price), usage: null, answer })
  await devnet.mine(5)
  shop.passSeconds(60)
  await shop.recovery.runOnce()
  expect(await reload(shop, payment)).toMatchObject({ settlementFinal: true, payload: null })
  for (const seconds of [0, 900]) {
    shop.passSeconds(seconds)
    expect(await shop.gate.admit(requestFor(v2))).toMatchObject({ status: 'replayed' })
  }
  const forged = { ...signed, signature: `0x${'1'.repeat(130)}` as const }
  const { v2: wire } = wirePayload(forged, contextFor(devnet.treasury.address, price))
  const refused = await shop.gate.admit(requestFor({ 'payment-signature': encode(wire) }))
  expect(refused.status).toBe('rejected')
})
