import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDevnetFile } from '@farebox/devnet'
import { createPublicClient, http } from 'viem'
import type { Config } from '../settings.ts'
import { type ChainAccess, openChain } from './chain-access.ts'

/**
 * Opens the chain for a command, whether or not a gateway is running: uses the devnet of a running
 * gateway if it responds, otherwise opens the chain like the gateway. It creates no devnet in
 * `DATA_DIR`.
 */
export async function openRunningChain(config: Config): Promise<ChainAccess> {
  const { NETWORK, RPC_URL, DATA_DIR } = config
  if (NETWORK !== 'devnet' || RPC_URL !== undefined) return await openChain(config)
  const file = join(DATA_DIR, 'devnet.json')
  if (!existsSync(file)) return await openTemporaryDevnet(config)
  const rpcUrl = await runningDevnetUrl(file)
  return await openChain(rpcUrl === undefined ? config : { ...config, RPC_URL: rpcUrl })
}

async function openTemporaryDevnet(config: Config): Promise<ChainAccess> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-devnet-'))
  const remove = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const access = await openChain({ ...config, DATA_DIR: folder })
    const close = async (): Promise<void> => {
      await access.close()
      await remove()
    }
    return { ...access, close }
  } catch (error) {
    await remove()
    throw error
  }
}

async function runningDevnetUrl(file: string): Promise<string | undefined> {
  try {
    const { rpcUrl } = await readDevnetFile(file)
    await createPublicClient({
      transport: http(rpcUrl, { retryCount: 0, timeout: 2_000 }),
    }).getChainId()
    return rpcUrl
  } catch {
    // The devnet has stopped: start it for the command.
    return undefined
  }
}
