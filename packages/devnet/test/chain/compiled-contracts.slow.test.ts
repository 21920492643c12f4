// Compiling takes seconds. That the committed contracts are deployed and work is tested in
// contracts.test.ts and usdc.test.ts.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts } from '../../scripts/compile.ts'
import { buildGenesis } from '../../scripts/genesis.ts'
import {
  batchSettlementAbi,
  depositCollectorAbi,
  devnetUsdcAbi,
  smartWalletAbi,
  smartWalletFactoryAbi,
  smartWalletFactoryAddress,
} from '../../src/index.ts'

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
  expect(compiled['BatchSettlement']?.abi).toEqual(batchSettlementAbi)
  expect(compiled['DepositCollector']?.abi).toEqual(depositCollectorAbi)
  const { genesis, factory } = await buildGenesis(bytecodes)
  expect(genesis).toEqual(asset('genesis.json'))
  expect(factory).toBe(smartWalletFactoryAddress)
})
