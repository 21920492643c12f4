import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, keccak256, parseAbi } from 'viem'
import { channelContract, depositCollector } from '../chain/addresses.ts'
import { bytesToHex, lowerHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { readCode } from '../rpc/read-code.ts'
import { callContract, createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { channelDigests } from './channel-digests.ts'

/** Whether the contracts of payment channels are what vouchers are signed for. */
export type ChannelIdentity =
  | { readonly status: 'matches'; readonly contract: Hex; readonly codeHash: Hex }
  | { readonly status: 'missing'; readonly address: Hex }
  /** It computes another digest for a voucher than we do: no voucher would be valid. */
  | { readonly status: 'differs'; readonly contract: Hex }
  /** It has other code than was asked for. */
  | { readonly status: 'other_code'; readonly contract: Hex; readonly codeHash: Hex }

const abi = parseAbi([
  'function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) view returns (bytes32)',
])

export type ChannelIdentityOptions = RpcOptions & {
  readonly network: PaymentNetwork
  /** The Keccak-256 hash of the contract's code, in lower case; any code is taken without it. */
  readonly codeHash?: Hex | undefined
}

/**
 * Reads whether the contract and its collector are deployed, whether the contract's code is the one
 * that is known, and whether its domain is ours.
 *
 * @throws {ChainError} when the node does not answer.
 */
export async function readChannelIdentity(
  options: ChannelIdentityOptions,
): Promise<ChannelIdentity> {
  const client = createRpcClient(options)
  const contract = channelContract
  const code = await readCode(client, contract)
  if (code === null) return { status: 'missing', address: contract }
  if ((await readCode(client, depositCollector)) === null) {
    return { status: 'missing', address: depositCollector }
  }
  const codeHash = lowerHex(keccak256(code))
  if ((options.codeHash ?? codeHash) !== codeHash) {
    return { status: 'other_code', contract, codeHash }
  }
  const voucher = [`0x${'1'.repeat(64)}`, 1n] as const
  const data = encodeFunctionData({ abi, functionName: 'getVoucherDigest', args: voucher })
  const call = { subject: 'the channel contract', to: contract, data }
  const answer = await callContract(client, call)
  const digest = bytesToHex(channelDigests(options.network.chainId).voucher(...voucher))
  const isOurs = answer.status === 'returned' && answer.data === digest
  return isOurs ? { status: 'matches', contract, codeHash } : { status: 'differs', contract }
}
