import { type Devnet, startDevnet } from '@farebox/devnet'
import type { PaymentRecord } from '@farebox/ledger'
import type { SettleOutcome } from '@farebox/payments/chain'
import { beforeAll, expect, test } from 'vitest'
import { cancelNonce, executeAuthorization } from '../support/on-chain.ts'
import { nowSeconds, usdc } from '../support/pay.ts'
import {
  admitted,
  payHeaders,
  price,
  requestFor,
  runRefunds,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

/** Two payments of one payer, three in all. */
const policy = {
  maxRiskPerPayer: usdc(2n * price),
  maxRiskTotal: usdc(3n * price),
  riskWindowMs: 60_000,
}

let devnet: Devnet
const { open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
let paywall: TestPaywall
beforeAll(() => {
  paywall = open({ policy })
})

type Wallet = TestPaywall['devnet']['payers'][number]
const keyOf = ({ address: from }: Wallet) => ({ chainId: 84532, asset: devnet.usdc, from })

/** A facilitator that does with a payment what the test says. */
function deciding(decide: () => Promise<SettleOutcome> | SettleOutcome) {
  return { name: 'deciding', settle: async () => await decide() }
}

const failing = (): SettleOutcome => ({
  status: 'rejected',
  reason: 'invalid_exact_evm_transaction_failed',
})

/** Admits a fresh payment, and tells with which record its service started, if it did. */
async function admitOverlapping(
  on: TestPaywall,
  wallet: Wallet,
  signing?: { readonly validBefore: number },
) {
  const { v2, signed } = await payHeaders(devnet, wallet, signing)
  const started: PaymentRecord[] = []
  const startOverlapping = (payment: PaymentRecord): void => void started.push(payment)
  const request = { ...requestFor(v2), startOverlapping }
  return { request, signed, started, admission: await on.gate.admit(request) }
}

test('a service starts when the claim is durable, and is admitted as begun with the proof', async () => {
  const stored: (string | undefined)[] = []
  const { v2 } = await payHeaders(devnet, payer(0))
  const startOverlapping = ({ id, settlement }: PaymentRecord): void => {
    expect(settlement).toBeNull()
    void paywall.store.load(id).then((payment) => stored.push(payment?.status))
  }
  const payment = admitted(await paywall.gate.admit({ ...requestFor(v2), startOverlapping }))
  expect(stored).toEqual(['settling'])
  expect(payment).toMatchObject({ status: 'serving', reason: null })
  expect(payment.settlement).not.toBeNull()
  const outcome = { cost: usdc(4_000n), usage: null, answer: null }
  const { payment: done } = await paywall.gate.complete(payment, outcome)
  expect(done).toMatchObject({ status: 'completed', refund: { amount: 6_000n } })
})

test('without a limit in the policy, nothing starts before its proof', async () => {
  const first = open()
  const { started, admission } = await admitOverlapping(first, payer(1))
  expect(started).toEqual([])
  expect(admitted(admission).status).toBe('settled')
})

test('payments under way count against the limits, by payer and in total', async () => {
  const held = Promise.withResolvers<SettleOutcome>()
  const busy = open({ policy, facilitator: deciding(() => held.promise) })
  const wallets = [payer(2), payer(2), payer(2), payer(3), payer(4)]
  const started: string[] = []
  const admitting = wallets.map(async (wallet, index) => {
    const { v2 } = await payHeaders(devnet, wallet)
    const startOverlapping = (): void => void started.push(`${index}`)
    return await busy.gate.admit({ ...requestFor(v2), startOverlapping })
  })
  await expect
    .poll(() => busy.store.openPayments(keyOf(payer(4))))
    .toEqual({
      rejected: 0,
      others: 1,
    })
  held.resolve(failing())
  await Promise.all(admitting)
  expect(started.length).toBe(3)
  expect(started.filter((index) => Number(index) < 3).length).toBeLessThanOrEqual(2)
})

test("a settlement that fails is the operator's loss, and counts until the window ends", async () => {
  const hostile = open({ policy, facilitator: deciding(failing) })
  for (const index of [5, 6, 7]) {
    const { started, admission } = await admitOverlapping(hostile, payer(index))
    expect([started.length, admission.status]).toEqual([1, 'rejected'])
  }
  expect(hostile.notices.filter(({ type }) => type === 'service_ahead_lost').length).toBe(3)
  // New payers have used up their own limit.
  expect((await admitOverlapping(hostile, payer(8))).started).toEqual([])
  hostile.passSeconds(61)
  expect((await admitOverlapping(hostile, payer(9))).started.length).toBe(1)
  // A payer that caused a loss settles first.
  expect((await admitOverlapping(hostile, payer(9))).started).toEqual([])
})

test('nothing starts for an authorization that has expired on the chain, where the clock is behind', async () => {
  const late = open({ policy })
  late.passSeconds(-300)
  const { number } = await late.chain.head()
  await devnet.mine(1)
  const expired = { validBefore: nowSeconds() - 60 }
  const { signed, started, admission } = await admitOverlapping(late, payer(12), expired)
  const reason = 'invalid_exact_evm_payload_authorization_valid_before'
  expect([started.length, admission]).toMatchObject([0, { status: 'rejected', reason }])
  const { from, nonce } = signed.message
  const key = { chainId: 84532, asset: devnet.usdc, from, nonce }
  expect(await late.store.findByAuthorization(key)).toBeUndefined()
  expect((await late.chain.head()).number).toBe(number + 1)
})

test('an authorization that is canceled after the claim ends the call, and was not used', async () => {
  const { v2, signed } = await payHeaders(devnet, payer(10))
  const canceling = deciding(async () => {
    await cancelNonce(devnet, payer(10), signed.message.nonce)
    return failing()
  })
  const robbed = open({ policy, facilitator: canceling })
  const started: string[] = []
  const startOverlapping = ({ id }: PaymentRecord): void => void started.push(id)
  const admission = await robbed.gate.admit({ ...requestFor(v2), startOverlapping })
  expect([started.length, admission.status]).toEqual([1, 'rejected'])
})

test('a crash while a service overlaps ends in a full refund, and in no second service', async () => {
  const dead = open({
    policy: { ...policy, leaseMs: 1_000, settleTimeoutMs: 60_000 },
    facilitator: deciding(() => new Promise<never>(() => undefined)),
    timers: { after: () => () => undefined },
  })
  const before = await devnet.usdcBalance(payer(11).address)
  const { v2, signed } = await payHeaders(devnet, payer(11))
  const request = requestFor(v2)
  const started = Promise.withResolvers<PaymentRecord>()
  void dead.gate.admit({ ...request, startOverlapping: started.resolve })
  const { id } = await started.promise
  dead.gate.close()

  const next = open({ policy, store: dead.store, owner: 'replica-2' })
  next.passSeconds(2)
  expect((await next.gate.admit(request)).status).toBe('pending')
  await executeAuthorization(devnet, signed)
  expect((await next.gate.admit(request)).status).toBe('spent')
  await devnet.mine(3)
  next.passSeconds(31)
  await next.recovery.runOnce()
  expect(await next.store.load(id)).toMatchObject({ status: 'failed', cost: 0n })
  await runRefunds(next)
  expect(await devnet.usdcBalance(payer(11).address)).toBe(before)
})
