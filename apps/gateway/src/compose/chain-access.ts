import { join } from 'node:path'
import { type DevnetFile, openDevnet, readDevnetFile } from '@farebox/devnet'
import type { Hex } from '@farebox/ledger'
import type { Config } from '../settings.ts'

/** The chain that the gateway works on, and the keys that it works with. */
export type ChainAccess = {
  readonly rpcUrl: string
  readonly treasuryKey: Hex
  /** Absent where a facilitator carries settlements and refunds. */
  readonly relayerKey: Hex | undefined
  /** The devnet, when this process runs it or works on one that runs. */
  readonly devnet: DevnetFile | undefined
  readonly close: () => Promise<void>
}

/**
 * Opens the chain of the configuration: starts the devnet where no address is given, and reads the
 * keys that are not given from `devnet.json`.
 *
 * @throws {KeysError} `missing_key` when a key is neither given nor in the file.
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
  const given =
    config.TREASURY_PRIVATE_KEY !== undefined && config.RELAYER_PRIVATE_KEY !== undefined
  try {
    return await readDevnetFile(join(config.DATA_DIR, 'devnet.json'))
  } catch (error) {
    if (given) return undefined
    throw new KeysError(
      `devnet.json of ${config.DATA_DIR} cannot be read, and not all keys are given`,
      { cause: error },
    )
  }
}

function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new KeysError(`${name} is required with this NETWORK`)
  return value
}

/** A key or address that the configuration lacks. */
export class KeysError extends Error {
  override readonly name = 'KeysError'
  readonly code = 'missing_key'
}
