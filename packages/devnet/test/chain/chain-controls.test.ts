import type { Hex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Devnet, startDevnet, usdcAddress } from '../../src/index.ts'
import { connect, signedTransfer } from './authorization.ts'

let devnet: Devnet

beforeEach(async () => {
  devnet = await startDevnet({ payers: 2 })
})
afterEach(async () => {
  await devnet.stop()
})

/** A payment of 5 units from the first payer to the treasury; it can be sent repeatedly. */
async function preparePayment(): Promise<() => Promise<Hex>> {
  const { relayer } = connect(devnet)
  const data = await signedTransfer(devnet, 5n)
  return async () => await relayer.sendTransaction({ to: usdcAddress, data, gas: 200_000n })
}

async function received(): Promise<bigint> {
  return await devnet.usdcBalance(devnet.treasury.address)
}

async function height(): Promise<number> {
  return Number(await devnet.rpc<Hex>('eth_blockNumber', []))
}

async function confirmed(hash: Hex): Promise<boolean> {
  const { reader } = connect(devnet)
  return (await reader.waitForTransactionReceipt({ hash })).status === 'success'
}

test('without automatic mining a payment waits until a block is mined', async () => {
  const pay = await preparePayment()
  await devnet.setAutomine('off')
  const hash = await pay()
  expect(await received()).toBe(0n)
  await devnet.mine(1)
  expect(await confirmed(hash)).toBe(true)
  expect(await received()).toBe(5n)
})

test('a dropped transaction can be sent again', async () => {
  const pay = await preparePayment()
  await devnet.setAutomine('off')
  const hash = await pay()
  await devnet.dropTransaction(hash)
  await devnet.mine(1)
  expect(await devnet.rpc('eth_getTransactionReceipt', [hash])).toBe(null)
  expect(await received()).toBe(0n)
  await devnet.setAutomine('on')
  expect(await confirmed(await pay())).toBe(true)
  expect(await received()).toBe(5n)
})

test.each([
  ['reorg', 'keeps the height', 0],
  ['rollback', 'shortens the chain', 2],
] as const)('%s drops payments, %s, and the same bytes can pay again', async (fault, _, lost) => {
  const pay = await preparePayment()
  await devnet.mine(3)
  const hash = await pay()
  expect(await confirmed(hash)).toBe(true)
  await devnet.mine(1)
  const before = await height()
  await devnet[fault](2)
  expect(await height()).toBe(before - lost)
  expect(await devnet.rpc('eth_getTransactionReceipt', [hash])).toBe(null)
  expect(await received()).toBe(0n)
  expect(await confirmed(await pay())).toBe(true)
  expect(await received()).toBe(5n)
})

test('reverting to a snapshot restores balances, token faults and the chain', async () => {
  const before = await height()
  const snapshot = await devnet.snapshot()
  await devnet.pause()
  await devnet.setEthBalance(devnet.treasury.address, 7n)
  await devnet.revert(snapshot)
  await devnet.mint(devnet.treasury.address, 1n)
  expect(await height()).toBe(before + 1)
  expect(await devnet.rpc('eth_getBalance', [devnet.treasury.address, 'latest'])).toBe('0x0')
})

test('controls of the token take effect with the next block when mining is manual', async () => {
  await devnet.setAutomine('off')
  await devnet.mint(devnet.treasury.address, 3n)
  expect(await received()).toBe(0n)
  await devnet.mine(1)
  expect(await received()).toBe(3n)
})

test('concurrent controls do not collide', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async () => await devnet.mint(devnet.treasury.address, 1n)),
  )
  expect(await received()).toBe(20n)
})

test('mines at a given interval, and can move its clock', async () => {
  const time = async (): Promise<number> =>
    Number(
      (await devnet.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])).timestamp,
    )
  const before = await time()
  await devnet.increaseTime(3600)
  expect(await time()).toBeGreaterThanOrEqual(before + 3600)
  const start = await height()
  await devnet.setBlockTime(1)
  await expect.poll(height).toBeGreaterThan(start)
})
