import { join } from 'node:path'
import { readDevnetFile } from '@farebox/devnet'
import { createPublicClient, http } from 'viem'
import type { Config } from '../settings.ts'
import { type ChainAccess, openChain } from './chain-access.ts'

/**
 * Opens the chain for a command, whether or not a gateway is running: uses the devnet of a running
 * gateway if it responds, otherwise opens the chain like the gateway.
 */
export async function openRunningChain(config: Config): Promise<ChainAccess> {
  const rpcUrl = await runningDevnetUrl(config)
  return openChain(rpcUrl === undefined ? config : { ...config, RPC_URL: rpcUrl })
}

async function runningDevnetUrl({
  NETWORK,
  RPC_URL,
  DATA_DIR,
}: Config): Promise<string | undefined> {
  if (NETWORK !== 'devnet' || RPC_URL !== undefined) return undefined
  try {
    const { rpcUrl } = await readDevnetFile(join(DATA_DIR, 'devnet.json'))
    await createPublicClient({
      transport: http(rpcUrl, { retryCount: 0, timeout: 2_000 }),
    }).getChainId()
    return rpcUrl
  } catch {
    // The devnet has never been started there, or has stopped: start it for the command.
    return undefined
  }
}
