import { type Devnet, startDevnet } from '@farebox/devnet'
import { expect, test } from 'vitest'
import type { ChannelChain } from '../../src/channel-chain/channel-chain.ts'
import type { SignedCall } from '../support/channel-payment.ts'
import { callFor, presentCall, refusalOf, signCall } from '../support/channel-payment.ts'
import {
  announceWithdrawal,
  beginCall,
  buyerOn,
  buyFirst,
  type ChannelSetup,
  callContract,
  channelOf,
  complete,
  deposit,
  finishWithdrawal,
  setUpChannels,
} from '../support/channel-setup.ts'
import { usdc } from '../support/pay.ts'
import { admitted } from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
const openAndBuy = buyerOn({ open, payer })

const later = { claimAfterMs: 3_600_000 }

/** What the payer's request does: from here on the channel sells nothing. */
async function askToClose(setup: ChannelSetup, call: SignedCall) {
  const { store, clock } = setup.paywall
  const { channel } = await store.applyToChannel(await channelOf(setup, call), {
    type: 'closing',
    at: clock(),
  })
  return channel
}

/** The next round to which no channel is leased. */
async function nextRound({ paywall, rounds }: ChannelSetup): Promise<void> {
  paywall.passSeconds(61)
  await rounds.runOnce()
}

const transactions = async () =>
  Number(await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest']))

test('a closing claims what was charged and returns the rest in one transaction', async () => {
  const { setup, call } = await openAndBuy({ rules: later })
  const before = await transactions()
  const outcome = await setup.rounds.closeNow(await askToClose(setup, call))
  if (outcome.status !== 'closed') throw new Error(`it is ${outcome.status}`)
  expect((await transactions()) - before).toBe(1)
  const { config, channelId } = call
  const { transaction } = outcome
  expect(setup.paywall.notices).toContainEqual({
    type: 'channel_deposited',
    channelId,
    payer: config.payer.toLowerCase(),
    amount: deposit,
    transaction: expect.any(String),
  })
  const closed = { type: 'channel_closed', by: 'refund', amount: 96_000n, transaction }
  expect(setup.paywall.notices.at(-1)).toMatchObject({ ...closed, channel: { id: channelId } })
  expect(await channelOf(setup, call)).toMatchObject({
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
  const { setup, call } = await openAndBuy({ rules: later, viewOf })
  await devnet.mine(5)
  expect(await setup.rounds.closeNow(await askToClose(setup, call))).toMatchObject({
    status: 'closed',
    amount: 96_000n,
  })
})

test('a closed channel sells again after its next deposit, and can be closed again', async () => {
  const { setup, call } = await openAndBuy({ rules: later })
  await setup.rounds.closeNow(await askToClose(setup, call))
  const again = await signCall(setup.paywall, payer(0), { ceiling: 10_000n, base: 4_000n, deposit })
  const request = callFor(again.headers, { ceiling: 10_000n, digest: 'b' })
  await complete(setup.paywall, admitted(await setup.paywall.gate.admit(request)), 6_000n)
  expect(await channelOf(setup, call)).toMatchObject({ status: 'open', charged: 10_000n })
  await setup.rounds.closeNow(await askToClose(setup, call))
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closed', refundNonce: 2n })
  expect(await balance(0)).toBe(funds - 10_000n)
})

test('a call in flight is ended and paid before the rest is returned, and no other begins', async () => {
  const { setup, call } = await openAndBuy({ rules: later })
  const inFlight = await beginCall(setup, payer(0), call)
  const closing = await askToClose(setup, call)
  expect((await setup.rounds.closeNow(closing)).status).toBe('closing')
  await setup.rounds.runOnce()
  expect(await balance(0)).toBe(funds - deposit)
  const next = await presentCall(setup.paywall, payer(0), {
    ceiling: 10_000n,
    base: 4_000n,
    digest: 'b',
  })
  expect(refusalOf(next)).toMatch(/channel_closing/)
  await complete(setup.paywall, inFlight, 9_000n)
  await setup.another().runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closed', claimed: 13_000n })
  expect(await balance(0)).toBe(funds - 13_000n)
})

test('idle channels are closed together, and a payee that cannot be paid delays no other', async () => {
  const setup = setUpChannels(open, { rules: later })
  const calls = []
  for (const index of [0, 1, 2]) calls.push(await buyFirst(setup, payer(index), 4_000n))
  await devnet.blacklist(payer(1).address)
  setup.paywall.passSeconds(7 * 86_400 + 1)
  const before = await transactions()
  await nextRound(setup)
  await nextRound(setup)
  const states = await Promise.all(calls.map((call) => channelOf(setup, call)))
  expect(states.map(({ status }) => status)).toEqual(['closed', 'closing', 'closed'])
  expect(states.map(({ claimed }) => claimed)).toEqual([4_000n, 4_000n, 4_000n])
  // A batch of claims, since they are old; the payment to the treasury; both closings.
  expect((await transactions()) - before).toBe(3)
  await devnet.unBlacklist(payer(1).address)
  await nextRound(setup)
  expect(await channelOf(setup, calls[1]!)).toMatchObject({ status: 'closed', returned: 96_000n })
})

test('a withdrawal paid out before the refund: the nonce is used up, and the channel sells again', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await announceWithdrawal(devnet, call.config, 96_000n)
  await askToClose(setup, call)
  await finishWithdrawal(devnet, call.config)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ returned: 96_000n, status: 'closing' })
  await nextRound(setup)
  await devnet.mine(2)
  await nextRound(setup)
  expect(await channelOf(setup, call)).toMatchObject({ status: 'open', refundNonce: 1n })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a refund that moved nothing and vanished before it was final is made again', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await announceWithdrawal(devnet, call.config, 96_000n)
  await askToClose(setup, call)
  await finishWithdrawal(devnet, call.config)
  await setup.rounds.runOnce()
  await nextRound(setup)
  await devnet.mine(1)
  const before = await transactions()
  await nextRound(setup)
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closing', refundNonce: 0n })
  expect(await transactions()).toBe(before)
  await devnet.reorg(2)
  await nextRound(setup)
  await devnet.mine(2)
  await nextRound(setup)
  expect(await channelOf(setup, call)).toMatchObject({ status: 'open', refundNonce: 1n })
})

test('a refund of the pending withdrawal ends it', async () => {
  const { setup, call } = await openAndBuy()
  await announceWithdrawal(devnet, call.config, 50_000n)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    withdrawAt: expect.any(Number),
    claimed: 4_000n,
  })
  await setup.rounds.closeNow(await askToClose(setup, call))
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closed', withdrawAt: null })
})

test('a refund that the receiver made by hand is booked', async () => {
  const { setup, call } = await openAndBuy()
  const { address } = devnet.treasury
  await callContract(devnet, address, { functionName: 'refund', args: [call.config, 20_000n] })
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    returned: 20_000n,
    status: 'open',
    refundNonce: 1n,
  })
})

test('a refund that is mined and not read yet does not reopen its channel, and is counted once', async () => {
  const { setup, call } = await openAndBuy({ rules: later })
  const { address } = devnet.treasury
  const closing = await askToClose(setup, call)
  await callContract(devnet, address, { functionName: 'refund', args: [call.config, 20_000n] })
  expect(await setup.rounds.closeNow(closing)).toMatchObject({ status: 'closing' })
  expect(await channelOf(setup, call)).toMatchObject({ status: 'closing', refundNonce: 0n })
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ returned: 20_000n, refundNonce: 1n })
})

test('closings stop when the gas of the hour is used up, and continue after it', async () => {
  const { setup, call } = await openAndBuy({ rules: { ...later, closingGasPerHour: 150_000n } })
  const other = await buyFirst(setup, payer(1), 4_000n)
  await setup.rounds.closeNow(await askToClose(setup, call))
  expect((await setup.rounds.closeNow(await askToClose(setup, other))).status).toBe('closing')
  expect(setup.paywall.notices).toContainEqual({ type: 'channel_closings_delayed', closings: 1 })
  setup.paywall.passSeconds(3_601)
  await setup.rounds.runOnce()
  await nextRound(setup)
  expect(await channelOf(setup, other)).toMatchObject({ status: 'closed', returned: 96_000n })
})

test('a rest that is not worth its gas stays with its channel', async () => {
  const { setup, call } = await openAndBuy({ rules: { idleRestOfGas: 96_001n } })
  setup.paywall.passSeconds(7 * 86_400 + 1)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    status: 'open',
    claimed: 4_000n,
    returned: usdc(0n),
  })
})
