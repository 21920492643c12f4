import type { ChannelConfig, Hex } from '@farebox/ledger'
import { keccak256 } from 'viem'
import { channelContract } from '../chain/addresses.ts'
import { bytesToHex } from '../chain/hex.ts'
import { hashDomain, hashStruct, signedDigest, typeHash } from '../signature/typed-data.ts'

/** One channel of a batch of claims. Amounts are atomic units, since the channel began. */
export type ClaimEntry = {
  readonly channelId: Hex
  readonly maxClaimableAmount: bigint
  readonly totalClaimed: bigint
}

/** EIP-712 digests of the `batch-settlement` contract, 32 bytes each. */
export type ChannelDigests = {
  /** The id of a channel: the digest of its whole configuration. */
  channelId(config: ChannelConfig): Hex
  /** What a payer signs for all calls of a channel up to this one. */
  voucher(channelId: Hex, maxClaimableAmount: bigint): Uint8Array
  /** What the receiver signs to return `amount` of a deposit. */
  refund(channelId: Hex, nonce: bigint, amount: bigint): Uint8Array
  /** What the receiver signs to claim what was charged. */
  claimBatch(entries: readonly ClaimEntry[]): Uint8Array
}

const configType =
  'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)'
const voucherType = 'Voucher(bytes32 channelId,uint128 maxClaimableAmount)'
const refundType = 'Refund(bytes32 channelId,uint256 nonce,uint128 amount)'
const entryType = 'ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)'

/** The domain of the channel contract on one chain; its separator is computed once. */
export function channelDigests(chainId: number): ChannelDigests {
  const domain = hashDomain({
    name: 'x402 Batch Settlement',
    version: '1',
    chainId,
    verifyingContract: channelContract,
  })
  const config = typeHash(configType)
  const voucher = typeHash(voucherType)
  const refund = typeHash(refundType)
  const entry = typeHash(entryType)
  const batch = typeHash(`ClaimBatch(ClaimEntry[] claims)${entryType}`)
  const digest = (struct: Uint8Array): Uint8Array => signedDigest(domain, struct)

  return {
    channelId({ payer, payerAuthorizer, receiver, receiverAuthorizer, token, ...rest }) {
      const accounts = [payer, payerAuthorizer, receiver, receiverAuthorizer, token]
      const words = [...accounts, BigInt(rest.withdrawDelay), rest.salt]
      return bytesToHex(digest(hashStruct(config, words)))
    },
    voucher: (channelId, max) => digest(hashStruct(voucher, [channelId, max])),
    refund: (channelId, nonce, amount) => digest(hashStruct(refund, [channelId, nonce, amount])),
    claimBatch(entries) {
      const hashes = entries.map(({ channelId, maxClaimableAmount, totalClaimed }) =>
        hashStruct(entry, [channelId, maxClaimableAmount, totalClaimed]),
      )
      return digest(hashStruct(batch, [keccak256(Buffer.concat(hashes), 'bytes')]))
    },
  }
}
