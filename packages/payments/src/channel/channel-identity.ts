import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, parseAbi } from 'viem'
import { channelContract, depositCollector } from '../chain/addresses.ts'
import { bytesToHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { ask, callContract, createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { channelDigests } from './channel-digests.ts'

/** Whether the contracts of payment channels are what vouchers are signed for. */
export type ChannelIdentity =
  | { readonly status: 'matches'; readonly contract: Hex }
  | { readonly status: 'missing'; readonly address: Hex }
  /** It computes another digest for a voucher than we do: no voucher would be valid. */
  | { readonly status: 'differs'; readonly contract: Hex }

const abi = parseAbi([
  'function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) view returns (bytes32)',
])

/**
 * Reads whether the contract and its collector are deployed, and whether its domain is ours.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readChannelIdentity(
  options: RpcOptions & { readonly network: PaymentNetwork },
): Promise<ChannelIdentity> {
  const client = createRpcClient(options)
  for (const address of [channelContract, depositCollector]) {
    const code = await ask(`the code of ${address}`, () => client.getCode({ address }))
    if (code === undefined || code === '0x') return { status: 'missing', address }
  }
  const voucher = [`0x${'1'.repeat(64)}`, 1n] as const
  const data = encodeFunctionData({ abi, functionName: 'getVoucherDigest', args: voucher })
  const call = { subject: 'the channel contract', to: channelContract, data }
  const answer = await callContract(client, call)
  const digest = bytesToHex(channelDigests(options.network.chainId).voucher(...voucher))
  const isOurs = answer.status === 'returned' && answer.data === digest
  return { status: isOurs ? 'matches' : 'differs', contract: channelContract }
}
