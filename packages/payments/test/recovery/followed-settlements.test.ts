import { type Devnet, startDevnet } from '@farebox/devnet'
import { createMemoryDisk, createMemoryStore, type PaymentEvent } from '@farebox/ledger'
import type { Facilitator } from '@farebox/payments/chain'
import { expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { usdc } from '../support/pay.ts'
import {
  admitted,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  sell,
  serve,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 20 })
  return devnet
})

/** What recovery waits for is looked at again half a minute later. */
const policy = { watchMs: 30_000, finalConfirmations: 3 }

/** A round of recovery after everything is due again. */
async function nextRound(paywall: TestPaywall) {
  paywall.passSeconds(31)
  return await paywall.recovery.runOnce()
}

/** A paywall that stops sending on request, and how often it was asked to send. */
function openCounted() {
  const real = open({ policy })
  let attempts = 0
  let sends = true
  const facilitator: Facilitator = {
    name: 'counted',
    settle: async (payment, signal) => {
      attempts += 1
      if (sends) return await real.facilitator.settle(payment, signal)
      return { status: 'unknown', reason: 'facilitator_timeout', transaction: null }
    },
  }
  const paywall = open({ policy, store: real.store, facilitator })
  return {
    paywall,
    attempts: () => attempts,
    stopSending: () => {
      sends = false
    },
  }
}

test('a settlement is followed until it is final, to the confirmation', async () => {
  const paywall = open({ policy })
  const payment = await sell(paywall, freshPayer(), price)
  const rounds: (readonly [number, boolean])[] = []
  for (let round = 0; round < 4; round += 1) {
    const { payments } = await nextRound(paywall)
    rounds.push([payments, (await reload(paywall, payment)).settlementFinal])
    await devnet.mine(1)
  }
  expect(rounds).toEqual([
    [1, false],
    [1, false],
    [1, true],
    [0, true],
  ])
})

test('a settlement that vanished is sent again in the round that notices it', async () => {
  const { paywall, attempts } = openCounted()
  const payer = freshPayer()
  const payment = await sell(paywall, payer, price)
  await devnet.reorg(1)
  await nextRound(paywall)
  expect(attempts()).toBe(2)
  await nextRound(paywall)
  expect((await reload(paywall, payment)).settlement).not.toBeNull()
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n - price)
})

test('a settlement that vanished and that its payer made again is not sent a second time', async () => {
  const { paywall, attempts, stopSending } = openCounted()
  const { v2, signed } = await payHeaders(devnet, freshPayer())
  const { payment } = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.complete(payment, { cost: usdc(price), usage: null, answer: null })
  await devnet.reorg(1)
  stopSending()
  await nextRound(paywall)
  expect(await reload(paywall, payment)).toMatchObject({ settlement: null })
  const sent = attempts()
  await executeAuthorization(devnet, signed)
  await nextRound(paywall)
  expect((await reload(paywall, payment)).settlement).not.toBeNull()
  expect(attempts()).toBe(sent)
})

const others: readonly PaymentEvent['type'][] = ['settlement_final', 'settlement_lost']
test.each(others)(
  'a replica that is late to find a settlement final, after %s, is at no fault',
  async (type) => {
    const store = createMemoryStore()
    const { apply } = store
    const paywall = open({
      policy,
      store: {
        ...store,
        apply: async (payment, event, answer) => {
          if (event.type === 'settlement_final') {
            await apply(payment, { type, at: event.at } as PaymentEvent)
          }
          return await apply(payment, event, answer)
        },
      },
    })
    const payment = await sell(paywall, freshPayer(), price)
    await devnet.mine(3)
    expect(await nextRound(paywall)).toEqual({ payments: 1, faults: 0 })
    const { settlementFinal } = await reload(paywall, payment)
    expect(settlementFinal).toBe(type === 'settlement_final')
  },
)

test('a payment that was not served waits for its client, and is refunded when that is over', async () => {
  const paywall = open({ policy: { ...policy, resumeMs: 60_000 } })
  const { v2 } = await payHeaders(devnet, freshPayer())
  const payment = admitted(await paywall.gate.admit(requestFor(v2)))
  await paywall.gate.abandon(payment, 'service_stopping')
  await nextRound(paywall)
  expect((await reload(paywall, payment)).status).toBe('settled')
  await nextRound(paywall)
  expect(await reload(paywall, payment)).toMatchObject({
    status: 'failed',
    reason: 'not_resumed',
    refund: { amount: price },
  })
})

test('a payment whose service was interrupted is refunded in full', async () => {
  const paywall = open({ policy })
  const payment = await serve(paywall, freshPayer())
  paywall.gate.close()
  await nextRound(paywall)
  expect(await reload(paywall, payment)).toMatchObject({
    status: 'failed',
    reason: 'service_interrupted',
    refund: { amount: price },
  })
})

test('money that came before its claim is returned when its transfer is final, to the confirmation', async () => {
  const paywall = open({ policy })
  const payer = freshPayer()
  const { v2, signed } = await payHeaders(devnet, payer)
  await executeAuthorization(devnet, signed)
  const admission = await paywall.gate.admit(requestFor(v2))
  if (admission.status !== 'spent') throw new Error(admission.status)
  const statuses: string[] = []
  for (let round = 0; round < 3; round += 1) {
    await nextRound(paywall)
    statuses.push((await reload(paywall, admission.payment)).status)
    await devnet.mine(1)
  }
  expect(statuses).toEqual(['settled', 'settled', 'failed'])
  // Its own settlement is followed from now on, in the next round.
  expect(await paywall.recovery.runOnce()).toEqual({ payments: 1, faults: 0 })
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

test('money that came before its claim and vanished again is not returned', async () => {
  const paywall = open({ policy })
  const { v2, signed } = await payHeaders(devnet, freshPayer())
  await executeAuthorization(devnet, signed)
  const admission = await paywall.gate.admit(requestFor(v2))
  if (admission.status !== 'spent') throw new Error(admission.status)
  await devnet.reorg(1)
  await nextRound(paywall)
  expect(await reload(paywall, admission.payment)).toMatchObject({
    status: 'rejected',
    refund: null,
  })
})

test('money in suspense after a restored backup is looked at rarely', async () => {
  const disk = createMemoryDisk()
  const paywall = open({ policy, store: createMemoryStore({ disk }) })
  const backup = disk.snapshot()
  const { v2 } = await payHeaders(devnet, freshPayer())
  const { payment } = await paywall.gate.begin(admitted(await paywall.gate.admit(requestFor(v2))))
  await paywall.gate.complete(payment, { cost: usdc(4_000n), usage: null, answer: null })
  await paywall.refunds.runOnce()
  disk.restore(backup)
  paywall.passSeconds(2)
  expect(await paywall.gate.admit(requestFor(v2))).toMatchObject({ status: 'spent' })
  expect(await nextRound(paywall)).toEqual({ payments: 1, faults: 0 })
  expect(await paywall.recovery.runOnce()).toEqual({ payments: 0, faults: 0 })
  expect(await nextRound(paywall)).toEqual({ payments: 1, faults: 0 })
})
