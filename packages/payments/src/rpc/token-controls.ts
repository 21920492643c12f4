import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, type PublicClient, parseAbi } from 'viem'
import { callContract } from './rpc-client.ts'

/** What the issuer of a token has stopped. */
export type TokenControls = {
  /** Every transfer reverts. */
  readonly isPaused: boolean
  /** Every transfer to or from the account reverts. */
  readonly isBlocked: boolean
}

/** @throws {ChainError} when the node does not answer. */
export async function readTokenControls(
  client: PublicClient,
  asset: Hex,
  account: Hex,
): Promise<TokenControls> {
  const [paused, blocked] = await Promise.all([
    readWord(client, asset, pausedCall),
    readWord(client, asset, blockedCall(account)),
  ])
  return { isPaused: paused === 1n, isBlocked: blocked === 1n }
}

const controlsAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlacklisted(address) view returns (bool)',
])

const pausedCall = encodeFunctionData({ abi: controlsAbi, functionName: 'paused' })

function blockedCall(account: Hex): Hex {
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
