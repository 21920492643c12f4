import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type CompiledContract = {
  readonly abi: readonly unknown[]
  /** Creation code, `0x` hex. */
  readonly bytecode: string
  /** Runtime code as compiled: immutables are zero. */
  readonly runtime: string
}

type SolcOutput = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, SolcContract>>>>
}

type SolcContract = {
  readonly abi: readonly unknown[]
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: { readonly object: string }
  }
}

type Solc = {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string
}

export const contractNames = [
  'DevnetUsdc',
  'SmartWallet',
  'SmartWalletFactory',
  'BatchSettlement',
  'DepositCollector',
] as const

/** Compiles `contracts/` with npm's solc. No metadata hash: equal sources give equal bytes. */
export function compileContracts(): Readonly<Record<string, CompiledContract>> {
  const require = createRequire(import.meta.url)
  const solc: Solc = require('solc')
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(contractNames.map((name) => [`${name}.sol`, source(name)])),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: {
        '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
      },
    },
  }
  const prefix = '@openzeppelin/contracts/'
  const openZeppelin = dirname(require.resolve('@openzeppelin/contracts/package.json'))
  const findImport = (path: string): { contents: string } => ({
    contents: readFileSync(join(openZeppelin, path.slice(prefix.length)), 'utf8'),
  })
  const output: SolcOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }))
  const faults = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (faults.length > 0) throw new Error(faults.map((error) => error.formattedMessage).join('\n'))
  return Object.fromEntries(contractNames.map((name) => [name, pick(output, name)]))
}

function source(name: string): { content: string } {
  const path = fileURLToPath(new URL(`../contracts/${name}.sol`, import.meta.url))
  return { content: readFileSync(path, 'utf8') }
}

function pick(output: SolcOutput, name: string): CompiledContract {
  const contract = output.contracts[`${name}.sol`]?.[name]
  if (contract === undefined) throw new Error(`solc returned no output for ${name}`)
  return {
    abi: contract.abi,
    bytecode: `0x${contract.evm.bytecode.object}`,
    runtime: `0x${contract.evm.deployedBytecode.object}`,
  }
}
