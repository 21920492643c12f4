import { maxUint128 } from 'viem'
import { expect, test } from 'vitest'
import {
  batchSettlementAbi,
  batchSettlementAddress,
  type Devnet,
  type DevnetAccount,
  startDevnet,
} from '../../src/index.ts'
import {
  claimRow,
  depositCall,
  finalizeCall,
  multicallOf,
  openChannel,
  refundCall,
  settleCall,
  signedClaimCall,
  signedRefundCall,
  type TestChannel,
  withdrawCall,
} from './channel-calls.ts'
import { type ChannelContract, channelContract } from './channel-contract.ts'
import { restoreForEachTest, twoPayersOf } from './restored-devnet.ts'

const funds = 1_000_000_000n

let devnet: Devnet
let contract: ChannelContract
let payer: DevnetAccount
let other: DevnetAccount
let channel: TestChannel

restoreForEachTest(async () => {
  devnet = await startDevnet({ payers: 2 })
  contract = await channelContract(devnet)
  ;[payer, other] = twoPayersOf(devnet)
  channel = openChannel(devnet, payer)
  await contract.send(await depositCall(channel))
  return devnet
})

async function claim(totalClaimed: bigint): Promise<void> {
  const rows = [await claimRow(channel, totalClaimed)]
  await contract.send(await signedClaimCall(devnet.treasury, rows))
}

test('a batch claims from several channels, all or nothing, and one settlement pays for all', async () => {
  const second = openChannel(devnet, other)
  await contract.send(await depositCall(second))
  const row = await claimRow(channel, 10n)
  const batch = async (total: bigint): ReturnType<typeof signedClaimCall> =>
    await signedClaimCall(devnet.treasury, [row, await claimRow(second, total)])
  expect(await contract.refusal(await batch(101n))).toBe('ClaimExceedsBalance')
  await contract.send(await batch(30n))
  expect(await contract.channel(channel.id)).toEqual([100n, 10n])
  expect(await contract.channel(second.id)).toEqual([100n, 30n])

  const { treasury, relayer, usdc } = devnet
  expect(await contract.send(settleCall(channel))).toEqual([
    {
      name: 'Settled',
      args: { receiver: treasury.address, token: usdc, sender: relayer.address, amount: 40n },
    },
  ])
  expect(await devnet.usdcBalance(treasury.address)).toBe(40n)
  expect(await devnet.usdcBalance(batchSettlementAddress)).toBe(160n)
  expect(await contract.channel(channel.id)).toEqual([100n, 10n])
})

test('settling nothing succeeds and moves nothing', async () => {
  expect(await contract.send(settleCall(channel))).toEqual([])
  await claim(10n)
  await contract.send(settleCall(channel))
  expect(await contract.send(settleCall(channel))).toEqual([])
  expect(await devnet.usdcBalance(devnet.treasury.address)).toBe(10n)
  expect(
    await contract.read.readContract({
      address: batchSettlementAddress,
      abi: batchSettlementAbi,
      functionName: 'receivers',
      args: [devnet.treasury.address, devnet.usdc],
    }),
  ).toEqual([10n, 10n])
})

test('a refund returns at most what is not claimed, and always uses up its nonce', async () => {
  await claim(30n)
  const signed = signedRefundCall
  expect(await contract.refusal(await signed(channel, 10n, { nonce: 1n }))).toBe(
    'InvalidRefundNonce',
  )
  expect(await contract.refusal(await signed(channel, 10n, { signer: other }))).toBe(
    'InvalidSignature',
  )
  expect(await contract.refusal(await signed(channel, 0n))).toBe('ZeroRefund')

  expect(await contract.send(await signed(channel, 500n))).toEqual([
    {
      name: 'Refunded',
      args: { channelId: channel.id, sender: devnet.relayer.address, amount: 70n },
    },
  ])
  expect(await contract.channel(channel.id)).toEqual([30n, 30n])
  expect(await contract.refusal(await signed(channel, 500n))).toBe('InvalidRefundNonce')

  expect(await contract.send(await signed(channel, 5n, { nonce: 1n }))).toEqual([])
  expect(await contract.refundNonce(channel.id)).toBe(2n)
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - 30n)
})

test('a refund of everything closes a channel without claims, and a deposit opens it again', async () => {
  const closed = await contract.send(await signedRefundCall(channel, 100n))
  expect(closed.map(({ name }) => name)).toEqual(['Refunded', 'ChannelClosed'])
  expect(closed[1]?.args).toEqual({ channelId: channel.id, config: channel.config })
  const opened = await contract.send(await depositCall(channel))
  expect(opened.map(({ name }) => name)).toEqual(['ChannelCreated', 'Deposited'])
})

test('a direct refund is for the receiver side, and voids a signed one', async () => {
  const direct = refundCall(channel, 10n)
  expect(await contract.refusal(direct, payer.address)).toBe('NotAuthorizedToRefund')
  await contract.send(direct, devnet.treasury.address)
  expect(await contract.channel(channel.id)).toEqual([90n, 0n])
  expect(await contract.refusal(await signedRefundCall(channel, 10n))).toBe('InvalidRefundNonce')
})

test('a withdrawal pays after the delay what claims have left of it', async () => {
  const channelId = channel.id
  const [initiated] = await contract.send(withdrawCall(channel, 90n), payer.address)
  const { timestamp } = await contract.read.getBlock()
  expect(initiated).toEqual({
    name: 'WithdrawInitiated',
    args: { channelId, amount: 90n, finalizeAfter: Number(timestamp) + 900 },
  })
  await claim(30n)
  await devnet.setNextBlockTimestamp(timestamp + 899n)
  await devnet.mine(1)
  expect(await contract.refusal(finalizeCall(channel), payer.address)).toBe(
    'WithdrawDelayNotElapsed',
  )
  await devnet.increaseTime(1)
  expect(await contract.send(finalizeCall(channel), payer.address)).toEqual([
    { name: 'WithdrawFinalized', args: { channelId, sender: payer.address, amount: 70n } },
  ])
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - 30n)
  // What was not claimed in time is gone.
  const late = await signedClaimCall(devnet.treasury, [await claimRow(channel, 31n)])
  expect(await contract.refusal(late)).toBe('ClaimExceedsBalance')
})

test('a withdrawal is for the payer side, one at a time, of money that is not claimed', async () => {
  await claim(30n)
  const withdraw = async (amount: bigint, from = payer.address): Promise<string | undefined> =>
    await contract.refusal(withdrawCall(channel, amount), from)
  expect(await withdraw(1n, other.address)).toBe('InvalidChannel')
  expect(await withdraw(0n)).toBe('NothingToWithdraw')
  expect(await withdraw(71n)).toBe('WithdrawAmountExceedsAvailable')
  expect(await contract.refusal(finalizeCall(channel), payer.address)).toBe('WithdrawalNotPending')
  await contract.send(withdrawCall(channel, 70n), payer.address)
  expect(await withdraw(1n)).toBe('WithdrawalAlreadyPending')
  expect(await contract.refusal(finalizeCall(channel), other.address)).toBe(
    'NotAuthorizedToFinalizeWithdraw',
  )
})

test('the key that signs vouchers can withdraw too, and the payer is paid', async () => {
  const delegated = openChannel(devnet, payer, { payerAuthorizer: other.address })
  await contract.send(await depositCall(delegated))
  await contract.send(withdrawCall(delegated, 100n), other.address)
  await devnet.increaseTime(900)
  const events = await contract.send(finalizeCall(delegated), other.address)
  expect(events.map(({ name }) => name)).toEqual(['WithdrawFinalized', 'ChannelClosed'])
  expect(await devnet.usdcBalance(payer.address)).toBe(funds - 100n)
})

test('a refund lowers a pending withdrawal, and clears it once it is as large', async () => {
  await contract.send(withdrawCall(channel, 60n), payer.address)
  await contract.send(await signedRefundCall(channel, 20n))
  expect(await contract.pendingAmount(channel.id)).toBe(40n)
  await contract.send(await signedRefundCall(channel, 40n, { nonce: 1n }))
  expect(await contract.refusal(finalizeCall(channel), payer.address)).toBe('WithdrawalNotPending')
  expect(await contract.refusal(withdrawCall(channel, 40n), payer.address)).toBe(undefined)
})

test('a multicall claims and refunds in one transaction, or does neither', async () => {
  const claimed = await signedClaimCall(devnet.treasury, [await claimRow(channel, 30n)])
  const wrong = await signedRefundCall(channel, 70n, { nonce: 9n })
  expect(await contract.refusal(multicallOf([claimed, wrong]))).toBe('InvalidRefundNonce')
  const right = await signedRefundCall(channel, maxUint128)
  const events = await contract.send(multicallOf([claimed, right]))
  expect(events.map(({ name }) => name)).toEqual(['Claimed', 'Refunded'])
  expect(await contract.channel(channel.id)).toEqual([30n, 30n])
  expect(await devnet.usdcBalance(batchSettlementAddress)).toBe(30n)
})
