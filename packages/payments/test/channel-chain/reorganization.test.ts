import { type Devnet, startDevnet } from '@farebox/devnet'
import { channelAmounts, type Hex } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createChannelChain } from '../../src/channel-chain/channel-chain.ts'
import { buyFirst, channelOf, deposit, openLane } from '../support/channel-lane.ts'
import { presentCall, refusalOf } from '../support/channel-payment.ts'
import { network } from '../support/pay.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

async function openAndBuy(rules: Parameters<typeof openLane>[1] = {}) {
  const lane = openLane(open, rules)
  const call = await buyFirst(lane, payer(0), 4_000n)
  return { lane, call }
}

async function onChain(id: Hex) {
  const [state] = await createChannelChain({ rpcUrl: devnet.rpcUrl, network }).channels([id])
  if (state === undefined) throw new Error('the contract has no such channel')
  return state
}

test('a claim and its payment to the treasury that vanished are taken back and made again', async () => {
  const { lane, call } = await openAndBuy()
  await lane.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
  await devnet.reorg(2)
  expect((await onChain(call.channelId)).totalClaimed).toBe(0n)
  lane.paywall.passSeconds(61)
  await lane.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
  expect(await channelOf(lane, call)).toMatchObject({ claimed: 4_000n })
  expect(await lane.paywall.store.channelTotals()).toMatchObject({ unsettled: 0n })
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(4_000n)
})

test('a refund that vanished is taken back, and its signature is executed again', async () => {
  const { lane, call } = await openAndBuy()
  const { store, clock } = lane.paywall
  await lane.rounds.runOnce()
  const open = await channelOf(lane, call)
  const { channel } = await store.applyToChannel(open, { type: 'closing', at: clock() })
  await lane.rounds.closeNow(channel)
  expect(await balance(0)).toBe(funds - 4_000n)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds - deposit)
  lane.paywall.passSeconds(61)
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({
    status: 'closed',
    returned: 96_000n,
    refundNonce: 1n,
  })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a closing returns nothing of a claim that vanished and is still booked', async () => {
  const { lane, call } = await openAndBuy()
  const { store, clock } = lane.paywall
  await lane.rounds.runOnce()
  const open = await channelOf(lane, call)
  const { channel } = await store.applyToChannel(open, { type: 'closing', at: clock() })
  await devnet.reorg(2)
  expect((await onChain(call.channelId)).totalClaimed).toBe(0n)
  await lane.rounds.closeNow(channel)
  expect(await balance(0)).toBe(funds - 4_000n)
  lane.paywall.passSeconds(61)
  await lane.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
})

test('a deposit that is lost for good after its service: what was charged is lost, and no more is sold', async () => {
  const { lane, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  await devnet.reorg(1)
  await devnet.increaseTime(3_600)
  await devnet.mine(1)
  for (let round = 0; round < 3; round += 1) {
    lane.paywall.passSeconds(3_601)
    await lane.paywall.recovery.runOnce()
    await lane.rounds.runOnce()
  }
  const channel = await channelOf(lane, call)
  expect(channel).toMatchObject({ deposited: 0n, charged: 4_000n, claimed: 0n })
  expect(channelAmounts(channel)).toMatchObject({ claimable: 0n, uncovered: 4_000n })
  const next = await presentCall(lane.paywall, payer(0), {
    ceiling: 10_000n,
    base: 4_000n,
    digest: 'b',
  })
  expect(refusalOf(next)).toMatch(/cumulative_amount_mismatch/)
})

test('a deposit that vanished is sent again while it is valid; its calls are not lost', async () => {
  const { lane, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds)
  lane.paywall.passSeconds(31)
  await lane.paywall.recovery.runOnce()
  lane.paywall.passSeconds(31)
  await lane.paywall.recovery.runOnce()
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({ deposited: deposit, charged: 4_000n })
  expect(await balance(0)).toBe(funds - deposit)
})
