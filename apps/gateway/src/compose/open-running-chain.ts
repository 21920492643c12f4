import { join } from 'node:path'
import { readDevnetFile } from '@farebox/devnet'
import { createPublicClient, http } from 'viem'
import type { Config } from '../settings.ts'
import { type ChainAccess, openChain } from './chain-access.ts'

/**
 * Opens the chain for a command that works beside a gateway or without one: the devnet of a running
 * gateway where one answers, else as the gateway itself would.
 */
export async function openRunningChain(config: Config): Promise<ChainAccess> {
  const running = await runningDevnet(config)
  return openChain(running === undefined ? config : { ...config, RPC_URL: running })
}

async function runningDevnet({ NETWORK, RPC_URL, DATA_DIR }: Config): Promise<string | undefined> {
  if (NETWORK !== 'devnet' || RPC_URL !== undefined) return undefined
  try {
    const { rpcUrl } = await readDevnetFile(join(DATA_DIR, 'devnet.json'))
    await createPublicClient({
      transport: http(rpcUrl, { retryCount: 0, timeout: 2_000 }),
    }).getChainId()
    return rpcUrl
  } catch {
    // No devnet was ever started there, or it has ended: it is started for the command.
    return undefined
  }
}
