import { encodeFunctionData, type Hex, hexToBigInt, numberToHex, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  burningWallet,
  type Devnet,
  type DevnetAccount,
  delegateTo,
  expiringWallet,
  flippingWallet,
  payerAccount,
  smartWalletAbi,
  startDevnet,
} from '../../src/index.ts'

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ payers: 0 })
})
afterAll(async () => {
  await devnet.stop()
})

const magic = `0x1626ba7e${'00'.repeat(28)}`
const question = encodeFunctionData({
  abi: smartWalletAbi,
  functionName: 'isValidSignature',
  args: [zeroHash, '0x00'],
})

async function ask({ address }: DevnetAccount, fields: object = {}): Promise<string> {
  const call = { to: address, data: question, gas: '0x4c4b40', ...fields }
  return await devnet.rpc<string>('eth_call', [call, 'latest'])
}

test.each([100_000, 1_000_000])('a burning wallet uses %i gas and agrees', async (gas) => {
  const payer = payerAccount(0)
  const delegation = await delegateTo(devnet, payer.address, burningWallet(gas))
  expect(await devnet.rpc('eth_getCode', [payer.address, 'latest'])).toBe(delegation)
  expect(await ask(payer)).toBe(magic)
  const call = { to: payer.address, data: question }
  const used = Number(hexToBigInt(await devnet.rpc<Hex>('eth_estimateGas', [call])))
  expect(used).toBeGreaterThan(gas)
  expect(used).toBeLessThan(gas * 1.1 + 30_000)
})

test('a flipping wallet agrees at a gas price of zero only', async () => {
  const payer = payerAccount(1)
  await delegateTo(devnet, payer.address, flippingWallet(50_000))
  expect(await ask(payer)).toBe(magic)
  const priced = { from: devnet.relayer.address, gasPrice: numberToHex(10_000_000_000n) }
  await expect(ask(payer, priced)).rejects.toThrow(/InvalidFEOpcode/)
})

test('an expiring wallet uses up the gas after its last block', async () => {
  const payer = payerAccount(2)
  const head = Number(await devnet.rpc<Hex>('eth_blockNumber', []))
  await delegateTo(devnet, payer.address, expiringWallet(head + 2))
  expect(await ask(payer)).toBe(magic)
  await devnet.mine(3)
  await expect(ask(payer)).rejects.toThrow(/InvalidFEOpcode/)
})
