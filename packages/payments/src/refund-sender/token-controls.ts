import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, type PublicClient, parseAbi } from 'viem'
import type { PaymentNetwork } from '../chain/network.ts'
import { callContract, createRpcClient } from '../rpc/rpc-client.ts'

/** What the issuer of the token has stopped. */
export type TokenControls = {
  /** No transfer of anybody passes. */
  readonly isPaused: boolean
  /** No transfer to or from the account passes. */
  readonly isBlocked: boolean
}

export type TokenControlsOptions = {
  readonly rpcUrl: string
  readonly network: Pick<PaymentNetwork, 'usdc'>
  readonly account: Hex
  /** How long one call to the node may take. 10 seconds by default. */
  readonly timeoutMs?: number
}

/**
 * Reads whether the network's USDC is paused and whether it blocks an account.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readTokenControls(options: TokenControlsOptions): Promise<TokenControls> {
  const client = createRpcClient(options)
  const { usdc } = options.network
  const [paused, blocked] = await Promise.all([
    readWord(client, usdc, pausedCall),
    readWord(client, usdc, blockedCall(options.account)),
  ])
  return { isPaused: paused === 1n, isBlocked: blocked === 1n }
}

const controlsAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlacklisted(address) view returns (bool)',
])

export const pausedCall = encodeFunctionData({ abi: controlsAbi, functionName: 'paused' })

export function blockedCall(account: Hex): Hex {
  return encodeFunctionData({ abi: controlsAbi, functionName: 'isBlacklisted', args: [account] })
}

/** The word that a contract returns; undefined when it does not have the function. */
export async function readWord(
  client: PublicClient,
  to: Hex,
  data: Hex,
): Promise<bigint | undefined> {
  const outcome = await callContract(client, { subject: `the state of ${to}`, to, data })
  return outcome.status === 'returned' && outcome.data.length === 66
    ? BigInt(outcome.data)
    : undefined
}
