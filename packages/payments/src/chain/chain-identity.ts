import type { Hex } from '@farebox/ledger'
import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem'
import { ChainError } from '../rpc/chain-error.ts'
import { ask, callContract, createRpcClient } from '../rpc/rpc-client.ts'
import type { PaymentNetwork } from './network.ts'

/** Whether a node serves the chain and the USDC contract of a payment network. */
export type ChainIdentity =
  | { readonly status: 'matches'; readonly block: number }
  | { readonly status: 'wrong_chain'; readonly chainId: number }
  /** The chain id is right, but the contract does not hash or count like the network's USDC. */
  | { readonly status: 'wrong_token'; readonly reason: string }
  | { readonly status: 'unavailable'; readonly reason: string }

export type ChainIdentityOptions = {
  readonly rpcUrl: string
  readonly network: PaymentNetwork
  /** How long one call to the node may take. 10 seconds by default. */
  readonly timeoutMs?: number
}

/**
 * Reads the chain id of a node, and the name, version and decimals of its USDC contract: payments are
 * signed for exactly these.
 */
export async function readChainIdentity(options: ChainIdentityOptions): Promise<ChainIdentity> {
  const { network } = options
  const client = createRpcClient(options)
  try {
    const chainId = await ask('the chain id', () => client.getChainId())
    if (chainId !== network.chainId) return { status: 'wrong_chain', chainId }
    for (const { name, expected } of tokenFacts(network)) {
      const subject = `the ${name} of ${network.usdc}`
      const data = encodeFunctionData({ abi: tokenAbi, functionName: name })
      const outcome = await callContract(client, { subject, to: network.usdc, data })
      if (outcome.status === 'reverted' || outcome.data !== expected) {
        return { status: 'wrong_token', reason: wrongToken(network, name) }
      }
    }
    const block = await ask('the latest block', () => client.getBlockNumber())
    return { status: 'matches', block: Number(block) }
  } catch (error) {
    if (error instanceof ChainError) return { status: 'unavailable', reason: error.message }
    throw error
  }
}

const tokenAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
])

/** The exact bytes that the contract returns, so that nothing it returns needs decoding. */
function tokenFacts({ domain }: PaymentNetwork): readonly TokenFact[] {
  return [
    { name: 'name', expected: encodeAbiParameters([{ type: 'string' }], [domain.name]) },
    { name: 'version', expected: encodeAbiParameters([{ type: 'string' }], [domain.version]) },
    { name: 'decimals', expected: encodeAbiParameters([{ type: 'uint8' }], [6]) },
  ]
}

type TokenFact = { readonly name: 'name' | 'version' | 'decimals'; readonly expected: Hex }

function wrongToken({ usdc, domain }: PaymentNetwork, fact: TokenFact['name']): string {
  return `the ${fact} of ${usdc} is not that of ${domain.name}, version ${domain.version}, with 6 decimals`
}
