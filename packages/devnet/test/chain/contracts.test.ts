import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileContracts } from '../../scripts/compile.ts'
import { buildGenesis } from '../../scripts/genesis.ts'
import {
  type Devnet,
  devnetUsdcAbi,
  multicall3Address,
  permit2Address,
  smartWalletAbi,
  smartWalletFactoryAbi,
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

function asset(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8'))
}

test('compiling the sources gives the committed bytecode, ABIs and genesis, byte for byte', async () => {
  const compiled = compileContracts()
  const bytecodes = Object.fromEntries(
    Object.entries(compiled).map(([name, contract]) => [name, contract.bytecode]),
  )
  expect(bytecodes).toEqual(asset('contracts.json'))
  expect(compiled['DevnetUsdc']?.abi).toEqual(devnetUsdcAbi)
  expect(compiled['SmartWallet']?.abi).toEqual(smartWalletAbi)
  expect(compiled['SmartWalletFactory']?.abi).toEqual(smartWalletFactoryAbi)
  const { genesis, factory } = await buildGenesis(bytecodes)
  expect(genesis).toEqual(asset('genesis.json'))
  expect(factory).toBe(smartWalletFactoryAddress)
})

test.each([
  ['USDC', usdcAddress],
  ['Multicall3', multicall3Address],
  ['Permit2', permit2Address],
  ['the smart wallet factory', smartWalletFactoryAddress],
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
