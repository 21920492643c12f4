import type { Address, Hex } from 'viem'
import { anvilBinary } from './anvil/anvil-binary.ts'
import { type AnvilProcess, runAnvil } from './anvil/anvil-process.ts'
import { createJsonRpc, type JsonRpc } from './anvil/json-rpc.ts'
import { openStateFile, type StateFile } from './anvil/state-file.ts'
import { type ChainControls, createChainControls, type Mining } from './chain/chain-controls.ts'
import {
  accountOf,
  type DevnetAccount,
  generateAccount,
  payerAccount,
} from './chain/devnet-account.ts'
import { devnetChainId, usdcAddress } from './chain/devnet-addresses.ts'
import { fundAccounts } from './chain/fund-accounts.ts'
import { installMissingContracts } from './chain/missing-contracts.ts'
import { createSmartWallets, type SmartWallets } from './chain/smart-wallets.ts'
import { createTokenAdmin, type TokenControls } from './chain/token-controls.ts'
import { checkDevnetOptions, type DevnetOptions } from './devnet-options.ts'

export type Devnet = ChainControls &
  TokenControls &
  SmartWallets & {
    readonly rpcUrl: string
    readonly chainId: 84532
    readonly network: 'base-sepolia'
    readonly usdc: Address
    /** Receives payments and signs refunds; holds no ETH. */
    readonly treasury: DevnetAccount
    /** Pays gas; 100 ETH. */
    readonly relayer: DevnetAccount
    /** 1,000 USDC each and no ETH. The same public test keys on every devnet. */
    readonly payers: readonly DevnetAccount[]
    readonly pid: number
    /** Resolves when the chain has stopped, for any reason. */
    readonly ended: Promise<void>
    /** Calls any method of the node. */
    readonly rpc: JsonRpc
    /** Stops anvil and writes the state if `stateFile` is set. Safe to call twice. */
    stop(): Promise<void>
  }

/**
 * Starts a chain with a funded x402 economy and resolves when it is ready for payments.
 * Throws `DevnetError`: `invalid_option`, `unsupported_platform`, `start_failed`, `state_in_use`.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  checkDevnetOptions(options)
  options.signal?.throwIfAborted()
  const state = await openStateFile(options.stateFile)
  const anvil = await runAnvil({
    binary: options.anvilPath ?? anvilBinary(),
    args: [...anvilArgs(options), ...state.anvilArgs],
  })
  const stop = stopOnce(anvil, state)
  try {
    await state.claim(anvil.pid)
    if (state.kept) await installMissingContracts(createJsonRpc(anvil.rpcUrl))
    const devnet = await composeDevnet({ options, anvil, stop })
    options.signal?.addEventListener('abort', () => void stop(), { once: true })
    options.signal?.throwIfAborted()
    return devnet
  } catch (error) {
    await stop()
    throw error
  }
}

// A base fee like Base's, 0.005 gwei; anvil always suggests a tip of 1 gwei. With one block per
// epoch, `safe` is one block behind the latest and `finalized` two. States of 128 blocks stay in
// memory: by default anvil writes each to disk, 230 kB a block, and never deletes it.
function anvilArgs({ port = 0 }: DevnetOptions): readonly string[] {
  return [
    ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(devnetChainId)],
    ['--accounts', '1', '--base-fee', '5000000', '--slots-in-an-epoch', '1'],
    ['--prune-history', '128'],
  ].flat()
}

type Parts = {
  readonly options: DevnetOptions
  readonly anvil: AnvilProcess
  readonly stop: () => Promise<void>
}

async function composeDevnet({ options, anvil, stop }: Parts): Promise<Devnet> {
  const rpc = createJsonRpc(anvil.rpcUrl)
  const mining: Mining = { current: 'auto' }
  const chain = createChainControls(rpc, mining)
  const admin = createTokenAdmin(rpc, mining)
  const { send, mintEach: _mintEach, ...token } = admin
  const treasury = accountFrom(options.treasuryKey)
  const relayer = accountFrom(options.relayerKey)
  const payers = Array.from({ length: options.payers ?? 20 }, (_, index) => payerAccount(index))
  const addresses = payers.map((payer) => payer.address)
  await fundAccounts({ rpc, chain, admin }, relayer.address, addresses)
  if (options.blockTime !== undefined) await chain.setBlockTime(options.blockTime)
  return {
    ...chain,
    ...token,
    ...createSmartWallets(rpc, send),
    rpcUrl: anvil.rpcUrl,
    chainId: devnetChainId,
    network: 'base-sepolia',
    usdc: usdcAddress,
    treasury,
    relayer,
    payers,
    pid: anvil.pid,
    ended: anvil.ended,
    rpc,
    stop,
  }
}

function accountFrom(privateKey: Hex | undefined): DevnetAccount {
  return privateKey === undefined ? generateAccount() : accountOf(privateKey)
}

function stopOnce(anvil: AnvilProcess, state: StateFile): () => Promise<void> {
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    await anvil.stop()
    await state.close()
  }
  return () => (stopped ??= stop())
}
