import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { createMemoryStore } from '@farebox/ledger'
import { PaymentPolicyError } from '@farebox/payments'
import type { Facilitator } from '@farebox/payments/chain'
import type { Timers } from '@farebox/payments/parts'
import { afterAll, expect, test } from 'vitest'
import { encode, usdc } from '../support/pay.ts'
import {
  admitted,
  auditTestPaywall,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  sell,
  serve,
} from '../support/test-paywall.ts'
import { funds, testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
let faults: RpcFaults
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 40 })
  faults = await startRpcFaults({ target: devnet.rpcUrl })
  return devnet
})
afterAll(() => faults.stop())

const outcome = { cost: usdc(4_000n), usage: null, answer: null }

/** A store whose operations can fail: rejected, or done while the response is lost. */
function brittleStore() {
  const fault = { next: [] as ('done' | 'rejected' | 'lost')[] }
  const store = createMemoryStore({
    async around(operation) {
      const kind = fault.next.shift()
      if (kind === 'rejected') throw new Error('the store is down')
      const result = operation()
      if (kind === 'lost') throw new Error('the connection broke')
      return result
    },
  })
  return { store, fault }
}

/** Shortens the pauses between attempts, but not the deadlines. */
const hasty: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds < 5_000 ? 1 : milliseconds)
    return () => {
      clearTimeout(timer)
    }
  },
}

test.each([['rejected', 'rejected'], ['lost'], ['rejected', 'lost', 'rejected']] as const)(
  'a cost is fixed once over a store that fails: %s',
  async (...kinds) => {
    const { store, fault } = brittleStore()
    const paywall = open({ store, timers: hasty })
    const payment = await serve(paywall, freshPayer())
    fault.next.push(...kinds)
    const { payment: done } = await paywall.gate.complete(payment, outcome)
    expect(done).toMatchObject({ status: 'completed', cost: 4_000n, version: 4 })
  },
)

test('a service is billed after a store that was down for 15 seconds', async () => {
  let outages = 0
  const store = createMemoryStore({
    async around(operation) {
      if (outages === 0) return operation()
      outages -= 1
      paywall.passSeconds(3)
      throw new Error('the store is down')
    },
  })
  const paywall = open({ store, timers: hasty })
  const payment = await serve(paywall, freshPayer())
  outages = 5
  const { payment: done } = await paywall.gate.complete(payment, outcome)
  expect(done).toMatchObject({ status: 'completed', cost: 4_000n })
})

test('a store that stays down fails the completion, and the payment is refunded', async () => {
  const { store, fault } = brittleStore()
  const paywall = open({ store, policy: { persistTimeoutMs: 50 } })
  const payer = freshPayer()
  const payment = await serve(paywall, payer)
  fault.next.push(...Array.from({ length: 5 }, () => 'rejected' as const))
  await expect(paywall.gate.complete(payment, outcome)).rejects.toThrow('the store is down')
  fault.next.splice(0)
  paywall.passSeconds(60)
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(funds)
})

test('a service whose start was recorded without a response is not served, and is refunded', async () => {
  const { store, fault } = brittleStore()
  const paywall = open({ store })
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  fault.next.push('lost')
  expect(await paywall.gate.begin(payment)).toMatchObject({
    status: 'pending',
    payment: { id: payment.id },
    headers: { 'X-Payment-Id': payment.id },
  })
  expect(paywall.notices).toContainEqual({
    type: 'fault',
    during: 'admission',
    error: new Error('the connection broke'),
  })
  expect(await paywall.gate.begin(payment)).toMatchObject({
    status: 'pending',
    code: 'payment_in_flight',
  })
  paywall.passSeconds(60)
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(funds)
})

test('a settled payment whose lease cannot be written is named, and the identical request resumes it', async () => {
  const { store, fault } = brittleStore()
  const paywall = open({ store })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  paywall.passSeconds(20)
  fault.next.push('rejected')
  const pending = await paywall.gate.begin(payment)
  expect(pending).toMatchObject({ status: 'pending', payment: { id: payment.id } })
  const resumed = admitted(await paywall.gate.admit(requestFor(v2)))
  expect(resumed.id).toBe(payment.id)
  expect((await paywall.gate.begin(resumed)).status).toBe('begun')
})

test('a payment that was served is named when its kept answer cannot be read', async () => {
  const { store } = open()
  const loadAnswer = async () => Promise.reject(new Error('the store is down'))
  const paywall = open({ store: { ...store, loadAnswer } })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const begun = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.complete(begun.payment, outcome)
  expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({
    status: 'pending',
    headers: { 'X-Payment-Id': begun.payment.id },
  })
})

test('a claim whose response was lost moves no money, and the identical request settles it', async () => {
  const { store, fault } = brittleStore()
  const paywall = open({ store })
  const payer = freshPayer()
  const { v2 } = await payHeaders(devnet, payer)
  // What counts against the payer is read before the claim.
  fault.next.push('done', 'lost')
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('unavailable')
  expect(await devnet.usdcBalance(payer.address)).toBe(funds)
  expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ code: 'payment_in_flight' })
  paywall.passSeconds(31)
  admitted(await paywall.gate.admit(requestFor(v2)))
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - price)
})

test('a settlement that could not be recorded is unknown, then found', async () => {
  const { store, fault } = brittleStore()
  const paywall = open({ store })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const real = paywall.facilitator.settle
  const breaking = open({
    store,
    facilitator: {
      name: 'breaking',
      async settle(payment, signal) {
        const settled = await real(payment, signal)
        fault.next.push('rejected')
        return settled
      },
    },
  })
  expect(await breaking.gate.admit(requestFor(v2))).toMatchObject({ code: 'settlement_unknown' })
  breaking.passSeconds(31)
  expect((await breaking.gate.admit(requestFor(v2))).status).toBe('settled')
})

test('a rejection while the node does not answer is unknown, not a 402', async () => {
  const denier: Facilitator = {
    name: 'denier',
    async settle() {
      faults.setRule(() => ({ kind: 'status', status: 503 }))
      return { status: 'rejected', reason: 'invalid_exact_evm_signature' }
    },
  }
  const paywall = open({ facilitator: denier, rpcUrl: faults.url })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const admission = await paywall.gate.admit(requestFor(v2))
  faults.setRule()
  expect(admission).toMatchObject({ status: 'pending', code: 'settlement_unknown' })
})

test('a facilitator that does not know what happened counts against no payer', async () => {
  const settle: Facilitator['settle'] = async () => ({
    status: 'unknown',
    reason: 'facilitator_timeout',
    transaction: null,
  })
  const policy = { proofTimeoutMs: 1, revertsPerPayer: 1 }
  const paywall = open({ facilitator: { name: 'test', settle }, policy })
  const payer = freshPayer()
  for (const _ of ['once', 'again']) {
    const { v2 } = await payHeaders(devnet, payer)
    expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ code: 'settlement_unknown' })
  }
})

test('a settlement that is mined after the report of its facilitator is waited for', async () => {
  let mine = async (): Promise<unknown> => undefined
  const settle: Facilitator['settle'] = async (payment) => {
    mine = () => open().facilitator.settle(payment, AbortSignal.timeout(10_000))
    return { status: 'settled', transaction: `0x${'1'.repeat(64)}` }
  }
  // It is mined in the first pause between two looks.
  const timers: Timers = {
    after(milliseconds, callback) {
      if (milliseconds >= 1_000) return hasty.after(milliseconds, callback)
      const mining = mine()
      mine = async () => undefined
      void mining.then(callback)
      return () => undefined
    },
  }
  const policy = { proofTimeoutMs: 5_000 }
  const paywall = open({ facilitator: { name: 'test', settle }, timers, policy })
  const { v2 } = await payHeaders(devnet, freshPayer())
  expect((await paywall.gate.admit(requestFor(v2))).status).toBe('settled')
})

test('an unknown settlement is sent again after five seconds, but not shortly before it expires', async () => {
  let sent = 0
  const counting: Facilitator = {
    name: 'counting',
    async settle() {
      sent += 1
      return { status: 'unknown', reason: 'connection_reset', transaction: null }
    },
  }
  const paywall = open({ facilitator: counting, policy: { proofTimeoutMs: 0 } })
  const validBefore = Math.floor(paywall.clock() / 1000) + 300
  const { v2 } = await payHeaders(devnet, freshPayer(), { validBefore })
  const sentAfter = async (seconds: number): Promise<number> => {
    paywall.passSeconds(seconds)
    expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ status: 'pending' })
    return sent
  }
  expect(await sentAfter(0)).toBe(1)
  expect(await sentAfter(0)).toBe(1)
  expect(await sentAfter(6)).toBe(2)
  expect(await sentAfter(290)).toBe(2)
})

test('a service that began with its proof and that another replica has ended is not begun again', async () => {
  const one = open()
  const two = open({ owner: 'replica-2', store: one.store })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const request = { ...requestFor(v2), isWanted: () => true }
  const payment = admitted(await one.gate.admit(request))
  expect(payment.status).toBe('serving')
  for (const paywall of [one, two]) paywall.passSeconds(3_600)
  await two.recovery.runOnce()
  expect(await reload(two, payment)).toMatchObject({ reason: 'service_interrupted' })
  expect(await one.gate.begin(payment)).toMatchObject({ status: 'pending' })
  expect(await one.gate.admit(request)).toMatchObject({ status: 'spent' })
})

test('the lease of a service is renewed while it runs, by one timer, and no longer', async () => {
  const beats: (() => void)[] = []
  const timers: Timers = {
    after(milliseconds, callback) {
      if (milliseconds === 10_000) beats.push(callback)
      return () => undefined
    },
  }
  const paywall = open({ timers, policy: { settleTimeoutMs: 7_777 } })
  const payments = [await serve(paywall, freshPayer()), await serve(paywall, freshPayer())]
  expect(beats).toHaveLength(1)
  for (let beat = 1; beat <= 4; beat += 1) {
    paywall.passSeconds(10)
    beats.shift()?.()
    await expect.poll(() => beats.length).toBe(1)
  }
  await paywall.recovery.runOnce()
  for (const payment of payments) {
    expect(await reload(paywall, payment)).toMatchObject({ status: 'serving' })
  }
  paywall.gate.close()
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  for (const payment of payments) {
    expect(await reload(paywall, payment)).toMatchObject({ reason: 'service_interrupted' })
  }
})

test("a client's payment identifier finds the payment again, whatever authorization comes with it", async () => {
  const paywall = open()
  const payer = freshPayer()
  const named = async (signer: typeof payer, id: string) => {
    const { payload } = await payHeaders(devnet, signer)
    const extensions = { 'payment-identifier': { info: { id } } }
    return { 'payment-signature': encode({ ...payload, extensions }) }
  }
  const id = 'order-000000000000001'
  const begun = await paywall.gate.begin(
    admitted(await paywall.gate.admit(requestFor(await named(payer, id)))),
  )
  const again = await paywall.gate.admit(requestFor(await named(payer, id)))
  expect(again).toMatchObject({ status: 'pending', payment: { id: begun.payment.id } })
  await paywall.gate.complete(begun.payment, outcome)
  const later = await paywall.gate.admit(requestFor(await named(payer, id)))
  expect(later).toMatchObject({ status: 'spent', code: 'authorization_used' })
  const other = { requestDigest: 'c'.repeat(64) }
  const reused = await paywall.gate.admit(requestFor(await named(payer, id), other))
  expect(reused).toMatchObject({ status: 'spent', code: 'authorization_reused' })
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - price)

  // The same identifier from another payer is another payment.
  const stranger = await paywall.gate.admit(requestFor(await named(freshPayer(), id)))
  expect(admitted(stranger).id).not.toBe(begun.payment.id)
})

test('a node that fails delays refunds and recovery, and costs nothing', async () => {
  const paywall = open({ rpcUrl: faults.url })
  const payer = freshPayer()
  const payment = await sell(paywall, payer, 4_000n)
  faults.setRule(() => ({ kind: 'refuse' }))
  expect(await paywall.refunds.runOnce()).toMatchObject({ transfers: 1, sent: 0, faults: 1 })
  paywall.passSeconds(31)
  expect(await paywall.recovery.runOnce()).toMatchObject({ payments: 1, faults: 1 })
  expect(paywall.notices.filter(({ type }) => type === 'fault')).not.toEqual([])
  await paywall.refunds.runOnce()
  expect(await reload(paywall, payment)).toMatchObject({ refund: { status: 'blocked' } })
  faults.setRule()
  paywall.passSeconds(31)
  await runRefunds(paywall)
  expect(await reload(paywall, payment)).toMatchObject({ refund: { status: 'confirmed' } })
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - 4_000n)
  const { explained, unexplained } = await auditTestPaywall(paywall)
  expect(unexplained).not.toContainEqual(expect.objectContaining({ paymentId: payment.id }))
  expect(explained).not.toContainEqual(expect.objectContaining({ kind: 'settlement_in_progress' }))
})

test('an observer that throws changes no payment', async () => {
  const onEvent = () => {
    throw new Error('an observer at fault')
  }
  const paywall = open({ onEvent })
  const payer = freshPayer()
  await sell(paywall, payer, 4_000n)
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - 4_000n)
})

test('a time that is not above zero is rejected', () => {
  expect(() => open({ policy: { leaseMs: 0 } })).toThrow(PaymentPolicyError)
})
