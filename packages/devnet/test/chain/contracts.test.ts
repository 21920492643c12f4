import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  batchSettlementAddress,
  type Devnet,
  depositCollectorAddress,
  multicall3Address,
  permit2Address,
  smartWalletFactoryAddress,
  startDevnet,
  usdcAddress,
} from '../../src/index.ts'

let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ payers: 0 })
})
afterAll(async () => {
  await devnet.stop()
})

test.each([
  ['USDC', usdcAddress],
  ['Multicall3', multicall3Address],
  ['Permit2', permit2Address],
  ['the smart wallet factory', smartWalletFactoryAddress],
  ['the channel contract', batchSettlementAddress],
  ['the deposit collector', depositCollectorAddress],
])('%s is deployed at its address', async (_, address) => {
  const code = await devnet.rpc<string>('eth_getCode', [address, 'latest'])
  expect(code.length).toBeGreaterThan(2000)
})

test('Permit2 answers with the domain separator of this chain', async () => {
  const call = { to: permit2Address, data: '0x3644e515' }
  const separator = await devnet.rpc<string>('eth_call', [call, 'latest'])
  // keccak256 of EIP712Domain(name "Permit2", chainId 84532, verifyingContract), computed below.
  expect(separator).toBe(await permit2Separator())
})

async function permit2Separator(): Promise<string> {
  const { domainSeparator } = await import('viem')
  return domainSeparator({
    domain: { name: 'Permit2', chainId: 84532, verifyingContract: permit2Address },
  })
}
