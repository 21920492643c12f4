import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import type { ChannelChain } from '../../src/channel-chain/channel-chain.ts'
import {
  announceWithdrawal,
  beginCall,
  buyFirst,
  type ChannelLane,
  callContract,
  channelOf,
  complete,
  deposit,
  finishWithdrawal,
  openLane,
} from '../support/channel-lane.ts'
import type { SignedCall } from '../support/channel-payment.ts'
import { callFor, presentCall, refusalOf, signCall } from '../support/channel-payment.ts'
import { usdc } from '../support/pay.ts'
import { admitted } from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const later = { claimAfterMs: 3_600_000 }

async function openAndBuy(options: Parameters<typeof openLane>[1] = {}) {
  const lane = openLane(open, options)
  const call = await buyFirst(lane, payer(0), 4_000n)
  return { lane, call }
}

/** What the payer's request does: from here on the channel sells nothing. */
async function askToClose(lane: ChannelLane, call: SignedCall) {
  const { store, clock } = lane.paywall
  const { channel } = await store.applyToChannel(await channelOf(lane, call), {
    type: 'closing',
    at: clock(),
  })
  return channel
}

/** The next round to which no channel is leased. */
async function nextRound({ paywall, rounds }: ChannelLane): Promise<void> {
  paywall.passSeconds(61)
  await rounds.runOnce()
}

const transactions = async () =>
  Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest']))

test('a closing claims what was charged and returns the rest in one transaction', async () => {
  const { lane, call } = await openAndBuy({ rules: later })
  const before = await transactions()
  const outcome = await lane.rounds.closeNow(await askToClose(lane, call))
  expect(outcome.status).toBe('closed')
  expect((await transactions()) - before).toBe(1)
  expect(await channelOf(lane, call)).toMatchObject({
    status: 'closed',
    claimed: 4_000n,
    returned: 96_000n,
    refundNonce: 1n,
  })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a channel is closed on a node that has no earlier states of the contract', async () => {
  const viewOf = (chain: ChannelChain): ChannelChain => ({
    ...chain,
    async channels(ids, block) {
      if (block !== undefined && block < Number(await devnet.rpc('eth_blockNumber', []))) {
        throw new Error(`no state of block ${block}`)
      }
      return await chain.channels(ids, block)
    },
  })
  const { lane, call } = await openAndBuy({ rules: later, viewOf })
  await devnet.mine(5)
  expect(await lane.rounds.closeNow(await askToClose(lane, call))).toMatchObject({
    status: 'closed',
    amount: 96_000n,
  })
})

test('a closed channel sells again after its next deposit, and can be closed again', async () => {
  const { lane, call } = await openAndBuy({ rules: later })
  await lane.rounds.closeNow(await askToClose(lane, call))
  const again = await signCall(lane.paywall, payer(0), { ceiling: 10_000n, base: 4_000n, deposit })
  const request = callFor(again.headers, { ceiling: 10_000n, digest: 'b' })
  await complete(lane.paywall, admitted(await lane.paywall.gate.admit(request)), 6_000n)
  expect(await channelOf(lane, call)).toMatchObject({ status: 'open', charged: 10_000n })
  await lane.rounds.closeNow(await askToClose(lane, call))
  expect(await channelOf(lane, call)).toMatchObject({ status: 'closed', refundNonce: 2n })
  expect(await balance(0)).toBe(funds - 10_000n)
})

test('a call in flight is ended and paid before the rest is returned, and no other begins', async () => {
  const { lane, call } = await openAndBuy({ rules: later })
  const inFlight = await beginCall(lane, payer(0), call)
  const closing = await askToClose(lane, call)
  expect((await lane.rounds.closeNow(closing)).status).toBe('closing')
  await lane.rounds.runOnce()
  expect(await balance(0)).toBe(funds - deposit)
  const next = await presentCall(lane.paywall, payer(0), {
    ceiling: 10_000n,
    base: 4_000n,
    digest: 'b',
  })
  expect(refusalOf(next)).toMatch(/channel_closing/)
  await complete(lane.paywall, inFlight, 9_000n)
  lane.paywall.passSeconds(61)
  await lane.another().runOnce()
  expect(await channelOf(lane, call)).toMatchObject({ status: 'closed', claimed: 13_000n })
  expect(await balance(0)).toBe(funds - 13_000n)
})

test('idle channels are closed together, and a payee that cannot be paid delays no other', async () => {
  const lane = openLane(open, { rules: later })
  const calls = []
  for (const index of [0, 1, 2]) calls.push(await buyFirst(lane, payer(index), 4_000n))
  await devnet.blacklist(payer(1).address)
  lane.paywall.passSeconds(7 * 86_400 + 1)
  const before = await transactions()
  await nextRound(lane)
  await nextRound(lane)
  const states = await Promise.all(calls.map((call) => channelOf(lane, call)))
  expect(states.map(({ status }) => status)).toEqual(['closed', 'closing', 'closed'])
  expect(states.map(({ claimed }) => claimed)).toEqual([4_000n, 4_000n, 4_000n])
  // A batch of claims, since they are old; the payment to the treasury; both closings.
  expect((await transactions()) - before).toBe(3)
  await devnet.unBlacklist(payer(1).address)
  await nextRound(lane)
  expect(await channelOf(lane, calls[1]!)).toMatchObject({ status: 'closed', returned: 96_000n })
})

test('a withdrawal paid out before the refund: the nonce is used up, and the channel sells again', async () => {
  const { lane, call } = await openAndBuy()
  await lane.rounds.runOnce()
  await announceWithdrawal(devnet, call.config, 96_000n)
  await askToClose(lane, call)
  await finishWithdrawal(devnet, call.config)
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({ returned: 96_000n, status: 'closing' })
  await nextRound(lane)
  await devnet.mine(2)
  await nextRound(lane)
  expect(await channelOf(lane, call)).toMatchObject({ status: 'open', refundNonce: 1n })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a refund that moved nothing and vanished before it was final is made again', async () => {
  const { lane, call } = await openAndBuy()
  await lane.rounds.runOnce()
  await announceWithdrawal(devnet, call.config, 96_000n)
  await askToClose(lane, call)
  await finishWithdrawal(devnet, call.config)
  await lane.rounds.runOnce()
  await nextRound(lane)
  await devnet.mine(1)
  const before = await transactions()
  await nextRound(lane)
  expect(await channelOf(lane, call)).toMatchObject({ status: 'closing', refundNonce: 0n })
  expect(await transactions()).toBe(before)
  await devnet.reorg(2)
  await nextRound(lane)
  await devnet.mine(2)
  await nextRound(lane)
  expect(await channelOf(lane, call)).toMatchObject({ status: 'open', refundNonce: 1n })
})

test('a refund of the pending withdrawal ends it', async () => {
  const { lane, call } = await openAndBuy()
  await announceWithdrawal(devnet, call.config, 50_000n)
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({
    withdrawAt: expect.any(Number),
    claimed: 4_000n,
  })
  await lane.rounds.closeNow(await askToClose(lane, call))
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({ status: 'closed', withdrawAt: null })
})

test('a refund that the receiver made by hand is booked', async () => {
  const { lane, call } = await openAndBuy()
  const { address } = devnet.treasury
  await callContract(devnet, address, { functionName: 'refund', args: [call.config, 20_000n] })
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({
    returned: 20_000n,
    status: 'open',
    refundNonce: 1n,
  })
})

test('a refund that is mined and not read yet does not reopen its channel, and is counted once', async () => {
  const { lane, call } = await openAndBuy({ rules: later })
  const { address } = devnet.treasury
  const closing = await askToClose(lane, call)
  await callContract(devnet, address, { functionName: 'refund', args: [call.config, 20_000n] })
  expect(await lane.rounds.closeNow(closing)).toMatchObject({ status: 'closing' })
  expect(await channelOf(lane, call)).toMatchObject({ status: 'closing', refundNonce: 0n })
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({ returned: 20_000n, refundNonce: 1n })
})

test('closings stop when the gas of the hour is used up, and continue after it', async () => {
  const { lane, call } = await openAndBuy({ rules: { ...later, closingGasPerHour: 150_000n } })
  const other = await buyFirst(lane, payer(1), 4_000n)
  await lane.rounds.closeNow(await askToClose(lane, call))
  expect((await lane.rounds.closeNow(await askToClose(lane, other))).status).toBe('closing')
  expect(lane.paywall.notices).toContainEqual({ type: 'channel_closings_delayed', closings: 1 })
  lane.paywall.passSeconds(3_601)
  await lane.rounds.runOnce()
  await nextRound(lane)
  expect(await channelOf(lane, other)).toMatchObject({ status: 'closed', returned: 96_000n })
})

test('a rest that is not worth its gas stays with its channel', async () => {
  const { lane, call } = await openAndBuy({ rules: { idleRestOfGas: 96_001n } })
  lane.paywall.passSeconds(7 * 86_400 + 1)
  await lane.rounds.runOnce()
  expect(await channelOf(lane, call)).toMatchObject({
    status: 'open',
    claimed: 4_000n,
    returned: usdc(0n),
  })
})
