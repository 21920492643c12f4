import { readFileSync } from 'node:fs'
import { concat, getContractAddress, type Hex, padHex, zeroHash } from 'viem'
import { anvilBinary } from '../src/anvil/anvil-binary.ts'
import { runAnvil } from '../src/anvil/anvil-process.ts'
import { createJsonRpc } from '../src/anvil/json-rpc.ts'
import {
  batchSettlementAddress,
  depositCollectorAddress,
  devnetChainId,
  multicall3Address,
  permit2Address,
  usdcAddress,
} from '../src/chain/devnet-addresses.ts'

const create2Deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

type Account = { nonce: number; balance: Hex; code: Hex; storage: Record<Hex, Hex> }

/** anvil's state file, containing only the code of the well-known contracts. */
export type Genesis = {
  readonly block: null
  readonly accounts: Readonly<Record<string, Account>>
  readonly best_block_number: null
  readonly blocks: readonly []
  readonly transactions: readonly []
  readonly historical_states: null
}

/**
 * Runs our constructors on a bare anvil, so that the code contains its immutables, and places the
 * result, with Multicall3 and Permit2, at their addresses on Base Sepolia.
 */
export async function buildGenesis(
  bytecodes: Readonly<Record<string, string>>,
): Promise<{ readonly genesis: Genesis; readonly factory: Hex }> {
  const anvil = await runAnvil({
    binary: anvilBinary(),
    args: ['--port', '0', '--chain-id', String(devnetChainId), '--accounts', '1'],
  })
  try {
    const usdc = await deployedCode(anvil.rpcUrl, bytecodes['DevnetUsdc'])
    const factory = await deployedCode(anvil.rpcUrl, bytecodes['SmartWalletFactory'])
    const settlement = await codeAt(anvil.rpcUrl, batchSettlementAddress, [
      asHex(bytecodes['BatchSettlement']),
    ])
    const collector = await codeAt(anvil.rpcUrl, depositCollectorAddress, [
      asHex(bytecodes['DepositCollector']),
      padHex(batchSettlementAddress, { size: 32 }),
    ])
    const genesis = genesisOf([
      [usdcAddress, usdc.code],
      [batchSettlementAddress, settlement],
      [depositCollectorAddress, collector],
      [multicall3Address, thirdPartyCode('multicall3.hex')],
      [permit2Address, thirdPartyCode('permit2.hex')],
      [factory.address, factory.code],
    ])
    return { genesis, factory: factory.address }
  } finally {
    await anvil.stop()
  }
}

/** Deploys through anvil's CREATE2 factory, so that equal code has an equal address. */
export async function deployedCode(
  rpcUrl: string,
  bytecode: string | undefined,
): Promise<{ address: Hex; code: Hex }> {
  const initCode = asHex(bytecode)
  const rpc = createJsonRpc(rpcUrl)
  const [from] = await rpc<Hex[]>('eth_accounts', [])
  const data = concat([zeroHash, initCode])
  await rpc('eth_sendTransaction', [{ from, to: create2Deployer, data }])
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: create2Deployer,
    salt: zeroHash,
    bytecode: initCode,
  })
  for (;;) {
    const code = await rpc<Hex>('eth_getCode', [address, 'latest'])
    if (code !== '0x') return { address, code }
  }
}

/**
 * Runs a constructor, followed by its arguments, at the address itself, so that what it caches of its
 * address is right. What it writes to storage is lost.
 */
async function codeAt(rpcUrl: string, address: Hex, initCode: readonly Hex[]): Promise<Hex> {
  const rpc = createJsonRpc(rpcUrl)
  const code = { [address]: { code: concat(initCode) } }
  return asHex(await rpc<Hex>('eth_call', [{ to: address }, 'latest', code]))
}

function genesisOf(contracts: readonly (readonly [Hex, Hex])[]): Genesis {
  const accounts = contracts.map(([address, code]): [string, Account] => [
    address.toLowerCase(),
    { nonce: 1, balance: '0x0', code, storage: {} },
  ])
  return {
    block: null,
    accounts: Object.fromEntries(accounts),
    best_block_number: null,
    blocks: [],
    transactions: [],
    historical_states: null,
  }
}

function thirdPartyCode(file: string): Hex {
  return asHex(
    readFileSync(new URL(`../assets/third-party/${file}`, import.meta.url), 'utf8').trim(),
  )
}

function asHex(text: string | undefined): Hex {
  if (text === undefined || !/^0x[0-9a-f]+$/i.test(text))
    throw new Error('the code is not hexadecimal')
  return `0x${text.slice(2)}`
}
