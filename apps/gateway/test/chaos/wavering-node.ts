import type { Devnet } from '@farebox/devnet'
import { startFlashblocks } from '@farebox/devnet/faults'
import type { Hex } from 'viem'

export type WaveringNode = {
  readonly rpcUrl: string
  /** From now on each transaction is mined at once. */
  calm(): Promise<void>
  stop(): Promise<void>
}

/**
 * A node with flashblocks that makes a block once or twice a second. Now and then it first forgets
 * what waits for that, so that what it showed is revoked.
 */
export async function startWaveringNode(
  devnet: Devnet,
  random: () => number,
): Promise<WaveringNode> {
  const flashblocks = await startFlashblocks({ target: devnet.rpcUrl, everyMs: 50 })
  const calm = new AbortController()
  await devnet.setAutomine('off')
  const wavering = waver(devnet, random, calm.signal)
  return {
    rpcUrl: flashblocks.url,
    async calm() {
      calm.abort()
      await wavering
      await devnet.setAutomine('on')
      await devnet.mine(1)
    },
    async stop() {
      calm.abort()
      await wavering
      await flashblocks.stop()
    },
  }
}

async function waver(devnet: Devnet, random: () => number, calm: AbortSignal): Promise<void> {
  while (!calm.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 400 + random() * 800))
    if (random() < 0.2) await dropWaiting(devnet)
    await devnet.mine(1)
  }
}

async function dropWaiting(devnet: Devnet): Promise<void> {
  const waiting = await devnet.rpc<{ readonly transactions: readonly Hex[] }>(
    'eth_getBlockByNumber',
    ['pending', false],
  )
  for (const transaction of waiting.transactions) await devnet.dropTransaction(transaction)
}
