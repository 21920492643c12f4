import { type Devnet, startDevnet } from '@farebox/devnet'
import type { LedgerStore } from '@farebox/ledger'
import type { Facilitator, SettleOutcome, TransactionQueue } from '@farebox/payments/chain'
import { sellByChannel } from '@farebox/payments/parts'
import { expect, test } from 'vitest'
import { defaultChannelPolicy } from '../../../src/policy/channel-policy.ts'
import { callFor, presentCall, signCall } from '../../support/channel-payment.ts'
import { resource, usdc } from '../../support/pay.ts'
import { admitted, type TestPaywall } from '../../support/test-paywall.ts'
import { testPaywallsOn } from '../../support/test-paywalls.ts'

let devnet: Devnet
const { open, freshPayer } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 10 })
  return devnet
})

const ceiling = 1_000n
const deposit = 100_000n
const funds = 1_000_000_000n
const { minCharge } = defaultChannelPolicy

/** A shop with one operation of its ledger that fails while the fault is on. */
function brittleShop(operation: 'holdCall' | 'loadChannel' | 'loadAnswer') {
  const { store } = open({ channels: sellByChannel() })
  const fault = { isOn: false }
  const failing: LedgerStore = {
    ...store,
    [operation]: async (...given: readonly never[]) => {
      if (fault.isOn) throw new Error('the store is down')
      return await (store[operation] as (...given: readonly never[]) => unknown)(...given)
    },
  }
  return { paywall: open({ channels: sellByChannel(), store: failing }), fault, store }
}

async function depositOf({ store }: TestPaywall) {
  for await (const { payment } of store.exportPayments()) {
    if (payment.kind === 'channel_deposit') return payment
  }
  throw new Error('The deposit is missing')
}

test('a deposit that is proven is named when its call cannot be held, and the identical request is served', async () => {
  const { paywall, fault } = brittleShop('holdCall')
  const payer = freshPayer()
  const { headers } = await signCall(paywall, payer, { ceiling, deposit })
  fault.isOn = true
  const first = await paywall.gate.admit(callFor(headers, { ceiling }))
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - deposit)
  const { id } = await depositOf(paywall)
  const named = { status: 'pending', payment: { id }, headers: { 'X-Payment-Id': id } }
  expect(first).toMatchObject(named)
  expect(paywall.notices).toContainEqual(expect.objectContaining({ type: 'fault' }))
  // The repeated request finds the deposit.
  expect(await paywall.gate.admit(callFor(headers, { ceiling }))).toMatchObject(named)
  fault.isOn = false
  admitted(await paywall.gate.admit(callFor(headers, { ceiling })))
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - deposit)
})

test('a deposit that was claimed is named when the channel cannot be read after the claim', async () => {
  const { paywall: real, fault, store } = brittleShop('loadChannel')
  const claimDeposit: LedgerStore['claimDeposit'] = async (...claim) => {
    const claimed = await store.claimDeposit(...claim)
    fault.isOn = true
    return claimed
  }
  const channels = sellByChannel()
  const paywall = open({ channels, store: { ...real.store, claimDeposit } })
  const admission = await presentCall(paywall, freshPayer(), { ceiling, deposit })
  expect(admission).toMatchObject({ status: 'pending', code: 'settlement_unknown' })
  expect(admission).toMatchObject({ payment: { kind: 'channel_deposit' } })
})

test('a call that was served is named when its stored answer cannot be read', async () => {
  const { paywall, fault } = brittleShop('loadAnswer')
  const { headers } = await signCall(paywall, freshPayer(), { ceiling, deposit })
  const call = admitted(await paywall.gate.admit(callFor(headers, { ceiling })))
  const answer = { statusCode: 200, contentType: 'text/plain', body: Buffer.from('hello') }
  await paywall.gate.complete(call, { cost: usdc(300n), usage: null, answer })
  fault.isOn = true
  expect(await paywall.gate.admit(callFor(headers, { ceiling }))).toMatchObject({
    status: 'pending',
    payment: { id: call.id },
  })
  fault.isOn = false
  expect(await paywall.gate.admit(callFor(headers, { ceiling }))).toMatchObject({
    status: 'replayed',
    payment: { id: call.id },
  })
})

test('a deposit whose stuck call was replaced by a transfer of the relayer to itself counts as reverted', async () => {
  const { queue: real } = open()
  const { relayer: from } = real
  const transactionHash = `0x${'7'.repeat(64)}` as const
  const receipt = { status: 'success', transactionHash, from, to: from, gasUsed: 21_000n, logs: [] }
  const queue = {
    ...real,
    send: async () => ({ status: 'sent', transaction: `0x${'6'.repeat(64)}` }),
    receiptOf: async () => receipt,
  } as unknown as TransactionQueue
  const { facilitator } = open({ queue })
  const outcomes: SettleOutcome[] = []
  const settle: Facilitator['settle'] = async (...given) => {
    const outcome = await facilitator.settle(...given)
    outcomes.push(outcome)
    return outcome
  }
  const channels = sellByChannel()
  const paywall = open({ channels, facilitator: { name: 'test', settle } })
  const admission = await presentCall(paywall, freshPayer(), { ceiling, deposit })
  expect(admission).toMatchObject({ code: 'settlement_unknown' })
  expect(outcomes).toEqual([
    {
      status: 'unknown',
      reason: 'invalid_batch_settlement_evm_deposit_transaction_failed',
      transaction: transactionHash,
      reverted: true,
    },
  ])
})

test('a deposit without a call is named when its channel cannot be read afterwards', async () => {
  const { store } = open()
  let isEnded = false
  const failing: LedgerStore = {
    ...store,
    async apply(...event) {
      const applied = await store.apply(...event)
      isEnded = event[1].type === 'service_completed'
      return applied
    },
    async loadChannel(id) {
      if (isEnded) throw new Error('the store is down')
      return await store.loadChannel(id)
    },
  }
  const paywall = open({ channels: sellByChannel(), store: failing })
  const payer = freshPayer()
  const { headers } = await signCall(paywall, payer, { ceiling: minCharge, deposit })
  const answer = await paywall.channelEndpoint?.answer({ headers, resource })
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - deposit)
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'X-Payment-Id': expect.any(String), 'x-should-retry': 'false' },
    body: { code: 'settlement_unknown' },
  })
})
