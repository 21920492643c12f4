import { join } from 'node:path'
import { type DevnetFile, openDevnet, readDevnetFile } from '@farebox/devnet'
import type { Hex } from '@farebox/ledger'
import type { Config } from '../settings.ts'

/** The gateway's chain, and its keys. */
export type ChainAccess = {
  readonly rpcUrl: string
  readonly treasuryKey: Hex
  /** Absent if a facilitator sends settlements and refunds. */
  readonly relayerKey: Hex | undefined
  /** The devnet, if this process started it or uses a running one. */
  readonly devnet: DevnetFile | undefined
  readonly close: () => Promise<void>
}

/**
 * Opens the configured chain: starts the devnet if `RPC_URL` is not set, and reads missing keys from
 * `devnet.json`.
 *
 * @throws {ChainAccessError} `missing_key` if a key is neither configured nor in the file.
 */
export async function openChain(config: Config): Promise<ChainAccess> {
  if (config.NETWORK === 'devnet' && config.RPC_URL === undefined) return startedDevnet(config)
  const devnet = config.NETWORK === 'devnet' ? await runningDevnet(config) : undefined
  return {
    rpcUrl: required('RPC_URL', config.RPC_URL),
    treasuryKey: required(
      'TREASURY_PRIVATE_KEY',
      config.TREASURY_PRIVATE_KEY ?? devnet?.treasury.privateKey,
    ),
    relayerKey: config.RELAYER_PRIVATE_KEY ?? devnet?.relayer.privateKey,
    devnet,
    close: () => Promise.resolve(),
  }
}

async function startedDevnet(config: Config): Promise<ChainAccess> {
  const { TREASURY_PRIVATE_KEY: treasuryKey, RELAYER_PRIVATE_KEY: relayerKey } = config
  const devnet = await openDevnet(config.DATA_DIR, {
    ...(treasuryKey && { treasuryKey }),
    ...(relayerKey && { relayerKey }),
  })
  return {
    rpcUrl: devnet.rpcUrl,
    treasuryKey: devnet.treasury.privateKey,
    relayerKey: devnet.relayer.privateKey,
    devnet,
    close: () => devnet.stop(),
  }
}

async function runningDevnet(config: Config): Promise<DevnetFile | undefined> {
  const hasKeys =
    config.TREASURY_PRIVATE_KEY !== undefined && config.RELAYER_PRIVATE_KEY !== undefined
  try {
    return await readDevnetFile(join(config.DATA_DIR, 'devnet.json'))
  } catch (error) {
    if (hasKeys) return undefined
    throw new ChainAccessError(
      `devnet.json in ${config.DATA_DIR} cannot be read: set TREASURY_PRIVATE_KEY and RELAYER_PRIVATE_KEY`,
      { cause: error },
    )
  }
}

function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined)
    throw new ChainAccessError(`${name} is required with this NETWORK: set it`)
  return value
}

/** The configuration lacks a key or URL. */
export class ChainAccessError extends Error {
  override readonly name = 'ChainAccessError'
  readonly code = 'missing_key'
}
