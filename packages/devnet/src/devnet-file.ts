import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Address, type Hex, isAddress, isHex } from 'viem'
import { makeFolder } from './anvil/make-folder.ts'
import type { DevnetAccount } from './chain/devnet-account.ts'
import { DevnetError } from './devnet-error.ts'

/** Contents of `devnet.json`: everything that another process needs to use a running devnet. */
export type DevnetFile = {
  readonly rpcUrl: string
  readonly chainId: number
  readonly network: string
  readonly usdc: Address
  readonly treasury: DevnetAccount
  readonly relayer: DevnetAccount
  readonly payers: readonly DevnetAccount[]
}

/**
 * Writes the file atomically, readable by its owner only.
 * Fields of `devnet` that do not belong to the file are omitted.
 */
export async function writeDevnetFile(path: string, devnet: DevnetFile): Promise<void> {
  const { rpcUrl, chainId, network, usdc, treasury, relayer, payers } = devnet
  const content: DevnetFile = { rpcUrl, chainId, network, usdc, treasury, relayer, payers }
  await makeFolder(dirname(path))
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, path)
}

/** Reads and checks the file. Throws `bad_devnet_file`, which names the field, or Node's ENOENT. */
export async function readDevnetFile(path: string): Promise<DevnetFile> {
  const text = await readFile(path, 'utf8')
  const field = fieldReader(path, parseJson(path, text))
  return {
    rpcUrl: field('rpcUrl', asText),
    chainId: field('chainId', asInteger),
    network: field('network', asText),
    usdc: field('usdc', asAddress),
    treasury: field('treasury', asAccount),
    relayer: field('relayer', asAccount),
    payers: field('payers', asAccounts),
  }
}

type Read<Value> = (value: unknown) => Value | undefined

function fieldReader(
  path: string,
  file: object,
): <Value>(name: string, read: Read<Value>) => Value {
  return function field<Value>(name: string, read: Read<Value>): Value {
    const value = read(Reflect.get(file, name))
    if (value === undefined)
      throw new DevnetError('bad_devnet_file', `${path}: ${name} is not valid`)
    return value
  }
}

function parseJson(path: string, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new DevnetError('bad_devnet_file', `${path} is not JSON`, { cause })
  }
  if (typeof value === 'object' && value !== null) return value
  throw new DevnetError('bad_devnet_file', `${path} does not contain a JSON object`)
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function asInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

function asAddress(value: unknown): Address | undefined {
  return typeof value === 'string' && isAddress(value, { strict: false }) ? value : undefined
}

function asPrivateKey(value: unknown): Hex | undefined {
  return isHex(value) && value.length === 66 ? value : undefined
}

function asAccount(value: unknown): DevnetAccount | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const address = asAddress(Reflect.get(value, 'address'))
  const privateKey = asPrivateKey(Reflect.get(value, 'privateKey'))
  return address === undefined || privateKey === undefined ? undefined : { address, privateKey }
}

function asAccounts(value: unknown): readonly DevnetAccount[] | undefined {
  if (!Array.isArray(value)) return undefined
  const accounts = value.map(asAccount).filter((account) => account !== undefined)
  return accounts.length === value.length ? accounts : undefined
}
