import { type Devnet, startDevnet } from '@farebox/devnet'
import { channelAmounts, type Hex } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createChannelChain } from '../../src/channel-chain/channel-chain.ts'
import { presentCall, refusalOf } from '../support/channel-payment.ts'
import {
  announceWithdrawal,
  beginCall,
  buyerOn,
  callContract,
  channelOf,
  complete,
  deposit,
  finishWithdrawal,
} from '../support/channel-setup.ts'
import { network, usdc } from '../support/pay.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer, balance } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})
const openAndBuy = buyerOn({ open, payer })

async function onChain(id: Hex) {
  const [state] = await createChannelChain({ rpcUrl: devnet.rpcUrl, network }).channels([id])
  if (state === undefined) throw new Error('the contract has no such channel')
  return state
}

test('a claim and its payment to the treasury that vanished are taken back and made again', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
  await devnet.reorg(2)
  expect((await onChain(call.channelId)).totalClaimed).toBe(0n)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  expect(await setup.paywall.store.channelTotals()).toMatchObject({ unsettled: 0n })
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(4_000n)
})

test('a node that serves another chain shows nothing that has vanished', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await devnet.reorg(2)
  await devnet.rpc('anvil_setChainId', [1])
  await expect(setup.rounds.runOnce()).rejects.toThrow('the node serves chain 1')
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  await devnet.rpc('anvil_setChainId', [devnet.chainId])
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
})

test('a refund that vanished is taken back, and its signature is executed again', async () => {
  const { setup, call } = await openAndBuy()
  const { store, clock } = setup.paywall
  await setup.rounds.runOnce()
  const open = await channelOf(setup, call)
  const { channel } = await store.applyToChannel(open, { type: 'closing', at: clock() })
  await setup.rounds.closeNow(channel)
  expect(await balance(0)).toBe(funds - 4_000n)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds - deposit)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    status: 'closed',
    returned: 96_000n,
    refundNonce: 1n,
  })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a closing names its own refund, and not one that vanished and is still booked', async () => {
  const { setup, call } = await openAndBuy()
  const { store, clock } = setup.paywall
  await callContract(devnet, devnet.treasury.address, {
    functionName: 'refund',
    args: [call.config, 1_000n],
  })
  // The same refund, as it was booked from a block that a reorganization has removed since.
  const hash = `0x${'ab'.repeat(32)}` as const
  const proof = { transaction: hash, block: 10_000, blockHash: hash, logIndex: 0 }
  const { channel: open } = await store.applyToChannel(
    { id: call.channelId },
    { type: 'returned', by: 'refund', amount: usdc(1_000n), proof, at: clock() },
  )
  const { channel } = await store.applyToChannel(open, { type: 'closing', at: clock() })
  const outcome = await setup.rounds.closeNow(channel)
  const { transactions } = await devnet.rpc<{ transactions: readonly string[] }>(
    'eth_getBlockByNumber',
    ['latest', false],
  )
  const [transaction] = transactions
  expect(outcome).toMatchObject({ status: 'closed', amount: 95_000n, transaction })
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
})

test('a closing returns nothing of a claim that vanished and is still booked', async () => {
  const { setup, call } = await openAndBuy()
  const { store, clock } = setup.paywall
  await setup.rounds.runOnce()
  const open = await channelOf(setup, call)
  const { channel } = await store.applyToChannel(open, { type: 'closing', at: clock() })
  await devnet.reorg(2)
  expect((await onChain(call.channelId)).totalClaimed).toBe(0n)
  await setup.rounds.closeNow(channel)
  expect(await balance(0)).toBe(funds - 4_000n)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect((await onChain(call.channelId)).totalClaimed).toBe(4_000n)
})

test('a deposit that is lost for good after its service: what was charged is lost, and no more is sold', async () => {
  const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  await devnet.reorg(1)
  await devnet.increaseTime(3_600)
  await devnet.mine(1)
  for (let round = 0; round < 3; round += 1) {
    setup.paywall.passSeconds(3_601)
    await setup.paywall.recovery.runOnce()
    await setup.rounds.runOnce()
  }
  const channel = await channelOf(setup, call)
  expect(channel).toMatchObject({ deposited: 0n, charged: 4_000n, claimed: 0n })
  expect(channelAmounts(channel)).toMatchObject({ claimable: 0n, uncovered: 4_000n })
  const next = await presentCall(setup.paywall, payer(0), {
    ceiling: 10_000n,
    base: 4_000n,
    digest: 'b',
  })
  expect(refusalOf(next)).toMatch(/cumulative_amount_mismatch/)
})

test('a refund of a stolen key, executed again before the deposit is: its nonce is booked', async () => {
  const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  const steal = async () =>
    await callContract(devnet, devnet.treasury.address, {
      functionName: 'refund',
      args: [call.config, deposit],
    })
  await steal()
  await devnet.reorg(2)
  await steal()
  expect(await onChain(call.channelId)).toMatchObject({ balance: 0n, refundNonce: 1n })
  for (let round = 0; round < 2; round += 1) {
    setup.paywall.passSeconds(31)
    await setup.paywall.recovery.runOnce()
  }
  await devnet.mine(2)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    status: 'open',
    deposited: deposit,
    returned: 0n,
    refundNonce: 1n,
  })
})

test('a deposit that vanished is sent again while it is valid; its calls are not lost', async () => {
  const { setup, call } = await openAndBuy({ rules: { claimAfterMs: 3_600_000 } })
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds)
  setup.paywall.passSeconds(31)
  await setup.paywall.recovery.runOnce()
  setup.paywall.passSeconds(31)
  await setup.paywall.recovery.runOnce()
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ deposited: deposit, charged: 4_000n })
  expect(await balance(0)).toBe(funds - deposit)
})

test('a deposit, its claim and the payment of the last three blocks that vanish are made again once', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ claimed: 4_000n })
  await devnet.reorg(3)
  expect(await balance(0)).toBe(funds)
  for (let round = 0; round < 3; round += 1) {
    setup.paywall.passSeconds(31)
    await setup.paywall.recovery.runOnce()
    await setup.rounds.runOnce()
  }
  expect(await channelOf(setup, call)).toMatchObject({
    status: 'open',
    deposited: deposit,
    charged: 4_000n,
    claimed: 4_000n,
  })
  expect(await balance(0)).toBe(funds - deposit)
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(4_000n)
})

test('an announced withdrawal of the last three blocks that vanishes no longer stops sales', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await devnet.mine(2)
  await announceWithdrawal(devnet, call.config, 96_000n)
  await setup.rounds.runOnce()
  const next = { ceiling: 10_000n, base: 4_000n, digest: 'b' }
  expect(refusalOf(await presentCall(setup.paywall, payer(0), next))).toMatch(/withdrawal_pending/)
  await devnet.reorg(3)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ withdrawAt: null })
  await complete(setup.paywall, await beginCall(setup, payer(0), call), 5_000n)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ charged: 9_000n, claimed: 9_000n })
})

test('a paid withdrawal of the last three blocks that vanishes is taken back, and still stops sales', async () => {
  const { setup, call } = await openAndBuy()
  await setup.rounds.runOnce()
  await announceWithdrawal(devnet, call.config, 96_000n)
  await setup.rounds.runOnce()
  await devnet.mine(3)
  await finishWithdrawal(devnet, call.config)
  await devnet.mine(1)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({ returned: 96_000n, withdrawAt: null })
  await devnet.reorg(3)
  setup.paywall.passSeconds(61)
  await setup.rounds.runOnce()
  expect(await channelOf(setup, call)).toMatchObject({
    returned: 0n,
    withdrawAt: expect.any(Number),
  })
  const next = { ceiling: 10_000n, base: 4_000n, digest: 'b' }
  expect(refusalOf(await presentCall(setup.paywall, payer(0), next))).toMatch(/withdrawal_pending/)
  expect(await balance(0)).toBe(funds - deposit)
})
