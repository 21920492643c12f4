import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FareboxError } from '@farebox/client'
import { z } from 'zod'
import type { CommandIo } from '../terminal/command-io.ts'
import { parseJson } from './parse-json.ts'
import { readKey } from './read-key.ts'

export type WalletOptions = {
  readonly url?: string
  readonly keyFile?: string
}

/** The key that pays, and the devnet that it belongs to, if it is one. */
export type Wallet = {
  readonly privateKey: `0x${string}`
  /** The node of the devnet whose payer this is. */
  readonly devnetRpcUrl: string | undefined
}

const defaultUrl = 'http://127.0.0.1:4020'

/** The gateway's URL: `--url`, `FAREBOX_URL`, or that of a gateway on this machine. */
export function gatewayUrl({ url }: WalletOptions, { environment }: CommandIo): string {
  const found = url ?? (environment['FAREBOX_URL'] || defaultUrl)
  const origin = url === undefined ? 'FAREBOX_URL' : '--url'
  const isWeb = /^https?:\/\//i.test(found)
  if (isWeb && URL.canParse(found)) return found
  const problem = isWeb ? 'is not a valid URL' : 'must begin with http:// or https://'
  throw new FareboxError('invalid_option', `${origin} ${problem}: ${found}`)
}

/**
 * Finds the key: `--key-file`, `FAREBOX_PRIVATE_KEY`, or, for a gateway on this machine, the first
 * payer of the devnet in `DATA_DIR`. `undefined` if no key is found.
 */
export async function findWallet(
  options: WalletOptions,
  io: CommandIo,
): Promise<Wallet | undefined> {
  const { FAREBOX_PRIVATE_KEY: environmentKey, DATA_DIR: dataDir } = io.environment
  const key = await readKey({ keyFile: options.keyFile, environmentKey })
  if (key !== undefined) {
    const { keyFile } = options
    const devnetRpcUrl = keyFile === undefined ? undefined : await rpcUrlIn(keyFile)
    return { privateKey: key, devnetRpcUrl }
  }
  if (!isLocal(gatewayUrl(options, io))) return undefined
  return await devnetWallet(devnetFile(dataDir))
}

function devnetFile(dataDir: string | undefined): string {
  return join(dataDir || '.farebox', 'devnet.json')
}

/** As `findWallet`. Throws `payment_required`, which explains how to get a key. */
export async function requireWallet(options: WalletOptions, io: CommandIo): Promise<Wallet> {
  const wallet = await findWallet(options, io)
  if (wallet !== undefined) return wallet
  const advice =
    'set FAREBOX_PRIVATE_KEY or pass --key-file. `farebox wallet --new <file>` creates one.'
  const problem = isLocal(gatewayUrl(options, io))
    ? `No private key, and no devnet of a gateway at ${devnetFile(io.environment['DATA_DIR'])}. Start the gateway, or ${advice}`
    : `No private key: ${advice}`
  throw new FareboxError('payment_required', problem)
}

function isLocal(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === 'localhost' || host === '127.0.0.1' || host === '[::1]'
}

const devnetSchema = z.object({ rpcUrl: z.string().optional() })

async function devnetWallet(path: string): Promise<Wallet | undefined> {
  if (!existsSync(path)) return undefined
  const privateKey = await readKey({ keyFile: path, environmentKey: undefined })
  return privateKey && { privateKey, devnetRpcUrl: await rpcUrlIn(path) }
}

/** The node of a `devnet.json`; other key files name none. */
async function rpcUrlIn(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8')
  if (!text.trimStart().startsWith('{')) return undefined
  return devnetSchema.safeParse(parseJson(text)).data?.rpcUrl
}
