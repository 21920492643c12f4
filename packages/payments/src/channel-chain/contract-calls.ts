import type { ChannelConfig, Hex, Voucher } from '@farebox/ledger'
import { encodeFunctionData, parseAbi } from 'viem'
import { channelConfigStruct } from '../calls/deposit-call.ts'
import { encodeMulticall } from '../calls/multicall.ts'
import { channelContract } from '../chain/addresses.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import type { RefundTerms } from './channel-authorizer.ts'

const abi = parseAbi([
  channelConfigStruct,
  'struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }',
  'struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }',
  'function claimWithSignature(VoucherClaim[] claims, bytes authorizerSignature)',
  'function settle(address receiver, address token)',
  'function refundWithSignature(ChannelConfig config, uint128 amount, uint256 nonce, bytes authorizerSignature)',
  'function multicall(bytes[] calls) returns (bytes[])',
])

/** One channel's row in a batch of claims: `total` since it began, under a voucher that covers it. */
export type ClaimRow = {
  readonly channelId: Hex
  readonly config: ChannelConfig
  readonly voucher: Voucher
  readonly total: bigint
}

/** Claims in one transaction; one row that the contract refuses fails them all. */
export function claimCall(rows: readonly ClaimRow[], authorizerSignature: Hex): TransactionCall {
  const claims = rows.map(({ config, voucher, total }) => ({
    voucher: { channel: config, maxClaimableAmount: voucher.max },
    signature: voucher.signature,
    totalClaimed: total,
  }))
  const args = [claims, authorizerSignature] as const
  const data = encodeFunctionData({ abi, functionName: 'claimWithSignature', args })
  return { to: channelContract, data }
}

/** Pays what is claimed and not yet paid to the treasury. */
export function settleCall(treasury: Hex, token: Hex): TransactionCall {
  const args = [treasury, token] as const
  return { to: channelContract, data: encodeFunctionData({ abi, functionName: 'settle', args }) }
}

type SignedChannelRefund = Pick<RefundTerms, 'amount' | 'nonce'> & {
  readonly config: ChannelConfig
  readonly signature: Hex
}

function refundCall({ config, amount, nonce, signature }: SignedChannelRefund): TransactionCall {
  const args = [config, amount, nonce, signature] as const
  const data = encodeFunctionData({ abi, functionName: 'refundWithSignature', args })
  return { to: channelContract, data }
}

/** The end of a channel: what is left to claim, if anything, and the refund of the rest. */
type CloseCall = {
  readonly claim: { readonly row: ClaimRow; readonly signature: Hex } | null
  readonly refund: SignedChannelRefund
}

/**
 * Claims and refunds in one call: a refund alone, executed before its claim, would return what was
 * charged.
 */
export function closeCall({ claim, refund }: CloseCall): TransactionCall {
  const returned = refundCall(refund)
  if (claim === null) return returned
  const calls = [claimCall([claim.row], claim.signature).data, returned.data]
  const data = encodeFunctionData({ abi, functionName: 'multicall', args: [calls] })
  return { to: channelContract, data }
}

/** A limit. Measured: 128,360; a payee's first balance takes 17,000 more. */
const gasPerClose = 250_000n

/** Closes several channels, each of which may fail alone. */
export function closeBatchCall(
  calls: readonly TransactionCall[],
  { multicall3 }: Pick<PaymentNetwork, 'multicall3'>,
): TransactionCall {
  return {
    to: multicall3,
    data: encodeMulticall(calls),
    gas: 80_000n + gasPerClose * BigInt(calls.length),
  }
}
