import { type Devnet, startDevnet } from '@farebox/devnet'
import { channelAmounts, createMemoryStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createChannelChain } from '../../src/channel-chain/channel-chain.ts'
import { presentCall, refusalOf } from '../support/channel-payment.ts'
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
import { network, usdc } from '../support/pay.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
const openAndBuy = buyerOn({ open, payer })

const treasuryOnChain = () =>
  createChannelChain({ rpcUrl: devnet.rpcUrl, network }).receiver(devnet.treasury.address)

const amountsOf = async (setup: ChannelSetup, call: Parameters<typeof channelOf>[1]) => {
  const { status, deposited, returned, charged, claimed } = await channelOf(setup, call)
  return { status, deposited, returned, charged, claimed }
}

test('what was charged is claimed, proven by the log, and paid to the treasury', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  expect(await amountsOf(setup, call)).toMatchObject({
    status: 'open',
    charged: 4_000n,
    claimed: 4_000n,
  })
  expect(await treasuryOnChain()).toEqual({ totalClaimed: 4_000n, totalSettled: 4_000n })
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(4_000n)
  expect(await setup.paywall.store.channelTotals()).toMatchObject({
    claimed: 4_000n,
    unsettled: 0n,
  })
})

test('what is charged after a claim is claimed by the next round', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await complete(setup.paywall, await beginCall(setup, payer(0), call), 5_000n)
  await setup.another().runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ charged: 9_000n, claimed: 9_000n })
})

test('claims wait until they are worth it or old, and then go together in one transaction', async () => {
  const setup = setUpChannels(open, {
    rules: { claimAfterMs: 3_600_000, claimAbove: usdc(5_000n) },
  })
  const [first, second] = [
    await buyFirst(setup, payer(0), 4_000n),
    await buyFirst(setup, payer(1), 4_500n),
  ]
  await setup.rounds.runOnce()
  expect(await channelOf(setup, first)).toMatchObject({ claimed: 0n })
  setup.paywall.passSeconds(3_601)
  const before = await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest'])
  await setup.rounds.runOnce()
  const after = await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest'])
  expect(await channelOf(setup, first)).toMatchObject({ claimed: 4_000n })
  expect(await channelOf(setup, second)).toMatchObject({ claimed: 4_500n })
  // One claim and one payment to the treasury.
  expect(Number(after) - Number(before)).toBe(2)
})

test('channels that are too small to be claimed do not keep others from selling', async () => {
  const rules = {
    claimAfterMs: 3_600_000,
    claimAbove: usdc(50_000n),
    minClaim: usdc(5_000n),
    maxUnclaimedTotal: usdc(19_000n),
    newPayers: 1n,
  }
  const setup = setUpChannels(open, { rules })
  // Each is below the least that is claimed at half of the limit.
  const small = [
    await buyFirst(setup, payer(0), 4_000n),
    await buyFirst(setup, payer(1), 4_000n),
    await buyFirst(setup, payer(2), 4_000n),
  ]
  setup.paywall.passSeconds(2)
  const refused = await presentCall(setup.paywall, payer(3), { ceiling: 10_000n, deposit })
  expect(refusalOf(refused)).toMatch(/channels_limit_reached/)
  await setup.rounds.runOnce()
  for (const call of small) expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  setup.paywall.passSeconds(2)
  await buyFirst(setup, payer(3), 4_000n)
})

test('a voucher that the contract refuses delays no other: its channel is frozen', async () => {
  const { setup, call: good } = await openAndBuy()
  const poisoned = await buyFirst(setup, payer(1), 3_000n)
  const third = await buyFirst(setup, payer(2), 2_000n)
  const { store } = setup.paywall
  const published = store.publishVoucher.bind(store)
  const signature = `0x${'1'.repeat(130)}` as const
  const forged = {
    ...store,
    publishVoucher: async (id: Parameters<typeof published>[0]) => {
      const found = await published(id)
      return found && id === poisoned.channelId
        ? { ...found, voucher: { ...found.voucher, signature } }
        : found
    },
  }
  const { rounds } = setUpChannels(open, { store: forged })
  await rounds.runOnce()
  expect(await channelOf(setup, good)).toMatchObject({ claimed: 4_000n })
  expect(await channelOf(setup, third)).toMatchObject({ claimed: 2_000n })
  expect(await channelOf(setup, poisoned)).toMatchObject({
    status: 'frozen',
    reason: 'claim_reverts',
  })
})

test('an announced withdrawal: what was charged is claimed before it is paid out, and nothing more is sold', async () => {
  const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  await announceWithdrawal(devnet, call.config, 96_000n)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    claimed: 4_000n,
    withdrawAt: expect.any(Number),
  })
  expect(
    refusalOf(
      await presentCall(setup.paywall, payer(0), { ceiling: 10_000n, base: 4_000n, digest: 'b' }),
    ),
  ).toMatch(/channel_withdrawal_pending/)
  await finishWithdrawal(devnet, call.config)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ returned: 96_000n, withdrawAt: null })
  expect(await balance(0)).toBe(funds - 4_000n)
  const closed = { type: 'channel_closed', by: 'withdrawal', amount: 96_000n }
  expect(setup.paywall.notices.filter(({ type }) => type === 'channel_closed')).toMatchObject([
    closed,
  ])
})

test('a withdrawal announced while a call is in flight: its cost is claimed when it ends', async () => {
  const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  const inFlight = await beginCall(setup, payer(0), call)
  await announceWithdrawal(devnet, call.config, deposit)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  await complete(setup.paywall, inFlight, 7_000n)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 11_000n })
  await finishWithdrawal(devnet, call.config)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ returned: 89_000n })
})

test('a withdrawal paid out before the next round: only what was not claimed is lost', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await complete(setup.paywall, await beginCall(setup, payer(0), call), 5_000n)
  await announceWithdrawal(devnet, call.config, deposit - 4_000n)
  await finishWithdrawal(devnet, call.config)
  await setup.another().runOnce()
  expect(await amountsOf(setup, call)).toEqual({
    status: 'open',
    deposited: deposit,
    returned: 96_000n,
    charged: 9_000n,
    claimed: 4_000n,
  })
  const { fault } = Object.fromEntries(setup.paywall.notices.map((notice) => [notice.type, notice]))
  expect(fault).toBeUndefined()
})

test('a restored backup is noticed by the claims on the chain: the channel is frozen before it sells', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  const backup = await exported(setup, call)
  await complete(setup.paywall, await beginCall(setup, payer(0), call), 5_000n)
  await setup.rounds.runOnce()

  const store = createMemoryStore()
  await store.openChannel({ ...backup, createdAt: setup.paywall.clock() })
  const restored = setUpChannels(open, { store })
  expect(await restored.rounds.obstacle()).toBe('channels_not_watched')
  await restored.rounds.runOnce()
  expect(await restored.rounds.obstacle()).toBeUndefined()
  expect(await channelOf(restored, call)).toMatchObject({
    status: 'frozen',
    reason: 'claimed_beyond_ledger',
  })
})

test('a restored backup from before a channel: its next deposit is refused before it costs gas', async () => {
  const { setup } = await openAndBuy()
  await setup.rounds.runOnce()
  const restored = setUpChannels(open, { store: createMemoryStore() })
  await restored.rounds.runOnce()
  const again = await presentCall(restored.paywall, payer(0), { ceiling: 10_000n, deposit })
  expect(refusalOf(again)).toMatch(/channel_frozen/)
  expect(await balance(0)).toBe(funds - deposit)
})

test('a channel with a deposit that was not read takes no other before it is read', async () => {
  const watching = setUpChannels(open, { store: createMemoryStore() })
  await watching.rounds.runOnce()
  await openAndBuy()
  const later = setUpChannels(open, { store: createMemoryStore() })
  await later.rounds.runOnce()
  const depositIn = async ({ paywall }: ChannelSetup) =>
    refusalOf(await presentCall(paywall, payer(0), { ceiling: 10_000n, deposit }))
  expect(await depositIn(watching)).toMatch(/channel_not_known/)
  expect(await depositIn(later)).toMatch(/channel_not_known/)
  await watching.rounds.runOnce()
  await later.rounds.runOnce()
  expect(await depositIn(watching)).toMatch(/cumulative_amount_mismatch/)
  expect(await depositIn(later)).toMatch(/channel_not_known/)
  expect(await balance(0)).toBe(funds - deposit)
})

async function exported(setup: ChannelSetup, call: Parameters<typeof channelOf>[1]) {
  const { id, chainId, config } = await channelOf(setup, call)
  return { id, chainId, config, seenBlock: 0 }
}

test('a deposit that did not come through the gate is credited once by each ledger', async () => {
  const stranger = setUpChannels(open)
  await stranger.rounds.runOnce()
  const { setup, call } = await openAndBuy()
  await Promise.all([stranger.rounds.runOnce(), stranger.rounds.runOnce()])
  expect(await channelOf(stranger, call)).toMatchObject({ deposited: deposit, status: 'open' })
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ deposited: deposit })
})

test('while claims do not arrive for a quarter of the delay, nothing is sold from channels', async () => {
  const { setup } = await openAndBuy({ rules: { withdrawDelaySeconds: 86_400 } })
  await devnet.setEthBalance(devnet.relayer.address, 0n)
  await setup.rounds.runOnce()
  expect(await setup.rounds.obstacle()).toBeUndefined()
  setup.paywall.passSeconds(21_601)
  await setup.rounds.runOnce()
  expect(await setup.rounds.obstacle()).toBe('channel_claims_failing')
  expect(setup.paywall.notices).toContainEqual({
    type: 'channels_stopped',
    reason: 'channel_claims_failing',
  })
  await devnet.setEthBalance(devnet.relayer.address, 10n ** 18n)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect(await setup.rounds.obstacle()).toBeUndefined()
})

test('two replicas claim at the same time: it is booked once', async () => {
  const { setup, call } = await openAndBuy()
  await Promise.all([setup.rounds.runOnce(), setup.another().runOnce()])
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  expect(await treasuryOnChain()).toEqual({ totalClaimed: 4_000n, totalSettled: 4_000n })
})

test('a process that dies between sending a claim and booking it: another one books it and sends none', async () => {
  const { setup, call } = await openAndBuy()
  const { store } = setup.paywall
  const dying: typeof store = {
    ...store,
    applyToChannel: (channel, event) =>
      event.type === 'claim_proven'
        ? Promise.reject(new Error('killed'))
        : store.applyToChannel(channel, event),
  }
  const dead = setUpChannels(open, { store: dying })
  await dead.rounds.runOnce()
  expect((await treasuryOnChain()).totalClaimed).toBe(4_000n)
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 0n })
  const before = await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest'])
  setup.paywall.passSeconds(61)
  await setup.another().runOnce()
  const after = await devnet.rpc('eth_getTransactionCount', [devnet.relayer.address, 'latest'])
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  // Claimed sums are paid out by the first process or by this one.
  expect(Number(after) - Number(before)).toBeLessThanOrEqual(1)
})

test('a stolen key returns what is not claimed: that is the loss, and nothing is sold without a deposit', async () => {
  const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  const { address } = devnet.treasury
  await callContract(devnet, address, { functionName: 'refund', args: [call.config, deposit] })
  await setup.rounds.runOnce()
  const channel = await channelOf(setup, call)
  expect(channel).toMatchObject({ deposited: deposit, returned: deposit, charged: 4_000n })
  expect(channelAmounts(channel)).toMatchObject({ claimable: 0n, uncovered: 4_000n })
  const next = { ceiling: 10_000n, base: 4_000n, digest: 'b' }
  expect(refusalOf(await presentCall(setup.paywall, payer(0), next))).toMatch(/amount_mismatch/)
})

test('while claims are outstanding a channel sells up to its limit, and again after the claim', async () => {
  const { setup, call } = await openAndBuy({ rules: { maxUnclaimed: usdc(13_000n) } })
  await devnet.setEthBalance(devnet.relayer.address, 0n)
  await setup.rounds.runOnce()
  const next = { ceiling: 10_000n, base: 4_000n, digest: 'b' }
  expect(refusalOf(await presentCall(setup.paywall, payer(0), next))).toMatch(
    /channel_limit_reached/,
  )
  await devnet.setEthBalance(devnet.relayer.address, 10n ** 18n)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  await complete(setup.paywall, await beginCall(setup, payer(0), call), 5_000n)
  expect(await channelOf(setup, call)).toMatchObject({ charged: 9_000n, claimed: 4_000n })
})
