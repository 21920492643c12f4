import type { PaymentNetwork } from '@farebox/payments'
import {
  type ChainIdentity,
  type ChainReader,
  createChainReader,
  readChainIdentity,
} from '@farebox/payments/chain'
import type { DependencyCheck } from './dependency-monitor.ts'

export type ChainCheckOptions = {
  readonly rpcUrl: string
  readonly network: PaymentNetwork
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const timeoutMs = 5_000
/** Base has a block every 2 seconds. A node that is this far behind has stopped following it. */
const maxHeadAgeSeconds = 120
/** No block is from the future. By a clock this far behind, what clients sign is valid for too long. */
const maxHeadLeadSeconds = 60

/**
 * A check of the node: which chain and token it serves, and that it follows the chain, by a clock that
 * is right. The identity is checked every time, since a URL may lead to another node without a failure in between.
 */
export function createChainCheck(options: ChainCheckOptions): () => Promise<DependencyCheck> {
  const { rpcUrl, network } = options
  const reader = createChainReader({ rpcUrl, timeoutMs })
  return async () => {
    const found = chainState(await readChainIdentity({ rpcUrl, network, timeoutMs }), network)
    return found.status === 'ok' ? await checkHead(reader, options) : found
  }
}

async function checkHead(
  reader: ChainReader,
  { network, now }: ChainCheckOptions,
): Promise<DependencyCheck> {
  try {
    const { timestamp } = await reader.head()
    const age = Math.floor(now() / 1000 - timestamp)
    // The devnet mines a block only for a transaction.
    if (network.name === 'devnet') return { status: 'ok' }
    if (age < -maxHeadLeadSeconds) {
      const reason = `the clock of this machine is ${-age} seconds behind the latest block of the node: set it by NTP`
      return { status: 'unavailable', reason }
    }
    if (age <= maxHeadAgeSeconds) return { status: 'ok' }
    const reason = `the latest block of the node is ${age} seconds old: the node has stopped following the chain, or the clock of this machine is ahead`
    return { status: 'unavailable', reason }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { status: 'unavailable', reason }
  }
}

/** The state of the chain according to its identity, with the reason if it is wrong. */
export function chainState(
  identity: ChainIdentity,
  { name, chainId }: PaymentNetwork,
): DependencyCheck {
  switch (identity.status) {
    case 'matches':
      return { status: 'ok' }
    case 'unavailable':
      return identity
    case 'wrong_chain':
      return {
        status: 'wrong',
        reason: `RPC_URL is chain ${identity.chainId}, but NETWORK=${name} requires chain ${chainId}`,
      }
    case 'wrong_token':
      return { status: 'wrong', reason: `RPC_URL has a different token: ${identity.reason}` }
  }
}
