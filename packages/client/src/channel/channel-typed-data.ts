import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils'
import { authorizationFields } from '../pay/sign-payment.ts'
import type { TypedData } from '../wallet/payment-signer.ts'

export type Hex = `0x${string}`

/** The parties and terms of a channel. Its digest is the id of the channel. */
export type ChannelConfig = {
  readonly payer: Hex
  /** The address that signs vouchers. */
  readonly payerAuthorizer: Hex
  readonly receiver: Hex
  /** The address that signs claims of what was charged, and refunds of the rest. */
  readonly receiverAuthorizer: Hex
  readonly token: Hex
  /** Seconds from the announcement of a withdrawal to its payment. */
  readonly withdrawDelay: number
  /** 32 bytes; another salt is another channel. */
  readonly salt: Hex
}

/** The contracts of the `batch-settlement` scheme, which have one address on every chain. */
const channelContract = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003'
const depositCollector = '0x4020806089470a89826cB9fB1f4059150b550004'

const domainType =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const configType =
  'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)'
const voucherType = 'Voucher(bytes32 channelId,uint128 maxClaimableAmount)'
const domainName = 'x402 Batch Settlement'
const domainVersion = '1'

/** The id of a channel: the EIP-712 digest of its configuration. */
export function channelId(config: ChannelConfig, chainId: number): Hex {
  const parties = [config.payer, config.payerAuthorizer, config.receiver, config.receiverAuthorizer]
  const terms = [config.token, config.withdrawDelay, config.salt]
  return toHex(digest(chainId, [keccak_256(configType), ...[...parties, ...terms].map(word)]))
}

/** A promise to pay what all calls of a channel cost, up to `max` atomic units since it began. */
export type VoucherTerms = {
  readonly channelId: Hex
  readonly chainId: number
  readonly max: bigint
}

/** What the payer of a voucher signs. */
export function voucherTypedData({ channelId: id, chainId, max }: VoucherTerms): TypedData {
  return {
    domain: {
      name: domainName,
      version: domainVersion,
      chainId,
      verifyingContract: channelContract,
    },
    types: {
      Voucher: [
        { name: 'channelId', type: 'bytes32' },
        { name: 'maxClaimableAmount', type: 'uint128' },
      ],
    },
    primaryType: 'Voucher',
    message: { channelId: id, maxClaimableAmount: max },
  }
}

/** The 32 bytes that a voucher's signature is over. */
export function voucherDigest({ channelId: id, chainId, max }: VoucherTerms): Uint8Array {
  return digest(chainId, [keccak_256(voucherType), word(id), word(max)])
}

export type DepositTerms = {
  readonly channelId: Hex
  readonly payer: Hex
  readonly token: {
    readonly chainId: number
    readonly address: Hex
    readonly domain: { readonly name: string; readonly version: string }
  }
  readonly amount: bigint
  /** Seconds since 1970. */
  readonly validBefore: bigint
  /** 32 bytes that make the nonce unique. */
  readonly salt: Hex
}

/** What the payer of a deposit signs: that the collector may receive it, once. */
export function depositTypedData(deposit: DepositTerms): TypedData {
  const { token, payer, amount, validBefore, salt } = deposit
  return {
    domain: { ...token.domain, chainId: token.chainId, verifyingContract: token.address },
    types: { ReceiveWithAuthorization: authorizationFields },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      from: payer,
      to: depositCollector,
      value: amount,
      validAfter: 0n,
      validBefore,
      nonce: toHex(keccak_256(concatBytes(word(deposit.channelId), word(salt)))),
    },
  }
}

function digest(chainId: number, struct: readonly Uint8Array[]): Uint8Array {
  const domain = [
    keccak_256(domainType),
    keccak_256(domainName),
    keccak_256(domainVersion),
    word(chainId),
    word(channelContract),
  ]
  const prefix = Uint8Array.of(0x19, 0x01)
  return keccak_256(
    concatBytes(prefix, keccak_256(concatBytes(...domain)), keccak_256(concatBytes(...struct))),
  )
}

/** A value as a word of the ABI: 32 bytes, filled with zeros on the left. */
function word(value: string | number | bigint): Uint8Array {
  return hexToBytes(BigInt(value).toString(16).padStart(64, '0'))
}

export function toHex(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`
}
