import { join } from 'node:path'
import { type DevnetFile, openDevnet, readDevnetFile } from '@farebox/devnet'
import { type SigningKey, signingAddress } from '@farebox/payments/chain'
import type { Config } from '../settings.ts'
import { loadSigningAccount, SigningAccountError } from './load-signing-account.ts'

/** The gateway's chain, and its keys. */
export type ChainAccess = {
  readonly rpcUrl: string
  readonly treasuryKey: SigningKey
  /** Absent if a facilitator sends settlements and refunds. */
  readonly relayerKey: SigningKey | undefined
  /** The devnet, if this process started it or uses a running one. */
  readonly devnet: DevnetFile | undefined
  readonly close: () => Promise<void>
}

/**
 * Opens the configured chain: starts the devnet if `RPC_URL` is not set, and reads missing keys from
 * `devnet.json`.
 *
 * @throws {ChainAccessError} `missing_key` if a key is neither configured nor in the file.
 * @throws {SigningAccountError} `unusable_account` for an account that cannot be loaded.
 */
export async function openChain(config: Config): Promise<ChainAccess> {
  const accounts = await loadAccounts(config)
  if (config.NETWORK === 'devnet' && config.RPC_URL === undefined) {
    return { ...(await startedDevnet(config)), ...accounts }
  }
  const { treasuryKey = config.TREASURY_PRIVATE_KEY, relayerKey = config.RELAYER_PRIVATE_KEY } =
    accounts
  const hasKeys = treasuryKey !== undefined && relayerKey !== undefined
  const devnet =
    config.NETWORK === 'devnet' ? await runningDevnet(config.DATA_DIR, { hasKeys }) : undefined
  return {
    rpcUrl: required('RPC_URL', config.RPC_URL),
    treasuryKey: required('TREASURY_PRIVATE_KEY', treasuryKey ?? devnet?.treasury.privateKey),
    relayerKey: relayerKey ?? devnet?.relayer.privateKey,
    devnet,
    close: () => Promise.resolve(),
  }
}

/** Accounts whose keys are elsewhere, instead of private keys. */
async function loadAccounts(
  config: Config,
): Promise<{ readonly treasuryKey?: SigningKey; readonly relayerKey?: SigningKey }> {
  const load = (name: 'TREASURY_ACCOUNT_MODULE' | 'RELAYER_ACCOUNT_MODULE') => {
    const path = config[name]
    return path === undefined ? undefined : loadSigningAccount(name, path)
  }
  const treasuryKey = await load('TREASURY_ACCOUNT_MODULE')
  const relayerKey = await load('RELAYER_ACCOUNT_MODULE')
  const other = relayerKey ?? config.RELAYER_PRIVATE_KEY
  if (treasuryKey !== undefined && other !== undefined && isSameAccount(treasuryKey, other)) {
    throw new SigningAccountError('The relayer must not be the same account as the treasury')
  }
  return { ...(treasuryKey && { treasuryKey }), ...(relayerKey && { relayerKey }) }
}

function isSameAccount(one: SigningKey, other: SigningKey): boolean {
  return signingAddress(one).toLowerCase() === signingAddress(other).toLowerCase()
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

/** The file of the devnet is needed only if its keys are not configured. */
async function runningDevnet(
  folder: string,
  { hasKeys }: { readonly hasKeys: boolean },
): Promise<DevnetFile | undefined> {
  try {
    return await readDevnetFile(join(folder, 'devnet.json'))
  } catch (error) {
    if (hasKeys) return undefined
    throw new ChainAccessError(
      `${join(folder, 'devnet.json')} cannot be read. With RPC_URL, set TREASURY_PRIVATE_KEY and RELAYER_PRIVATE_KEY, or DATA_DIR to the folder of that devnet.`,
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
