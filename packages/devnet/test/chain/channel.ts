import {
  type Address,
  encodeAbiParameters,
  type Hex,
  hashTypedData,
  keccak256,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  batchSettlementAddress,
  type Devnet,
  type DevnetAccount,
  depositCollectorAddress,
  devnetChainId,
} from '../../src/index.ts'
import { authorize, signAuthorization } from './authorization.ts'

/** The EIP-712 types of the scheme, as its specification writes them. */
const channelTypes = {
  ChannelConfig: [
    { name: 'payer', type: 'address' },
    { name: 'payerAuthorizer', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'receiverAuthorizer', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'withdrawDelay', type: 'uint40' },
    { name: 'salt', type: 'bytes32' },
  ],
  Voucher: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'maxClaimableAmount', type: 'uint128' },
  ],
  Refund: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'nonce', type: 'uint256' },
    { name: 'amount', type: 'uint128' },
  ],
  ClaimBatch: [{ name: 'claims', type: 'ClaimEntry[]' }],
  ClaimEntry: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'maxClaimableAmount', type: 'uint128' },
    { name: 'totalClaimed', type: 'uint128' },
  ],
} as const

export const channelTyped = {
  domain: {
    name: 'x402 Batch Settlement',
    version: '1',
    chainId: devnetChainId,
    verifyingContract: batchSettlementAddress,
  },
  types: channelTypes,
} as const

export type ChannelConfig = {
  readonly payer: Address
  readonly payerAuthorizer: Address
  readonly receiver: Address
  readonly receiverAuthorizer: Address
  readonly token: Address
  readonly withdrawDelay: number
  readonly salt: Hex
}

export type VoucherClaim = {
  readonly voucher: { readonly channel: ChannelConfig; readonly maxClaimableAmount: bigint }
  readonly signature: Hex
  readonly totalClaimed: bigint
}

/** A channel from a payer, who signs its vouchers, to the treasury, which signs claims and refunds. */
export function channelFrom(
  devnet: Devnet,
  payer: Address,
  changes: Partial<ChannelConfig> = {},
): ChannelConfig {
  return {
    payer,
    payerAuthorizer: payer,
    receiver: devnet.treasury.address,
    receiverAuthorizer: devnet.treasury.address,
    token: devnet.usdc,
    withdrawDelay: 900,
    salt: zeroHash,
    ...changes,
  }
}

export function channelIdOf(config: ChannelConfig): Hex {
  return hashTypedData({ ...channelTyped, primaryType: 'ChannelConfig', message: config })
}

let lastSalt = 0n

/** The collector's data: the payer's authorization of a deposit into the channel. */
export async function depositData(
  signer: DevnetAccount,
  config: ChannelConfig,
  amount: bigint,
): Promise<Hex> {
  lastSalt += 1n
  const nonceOf = [{ type: 'bytes32' }, { type: 'uint256' }] as const
  const authorization = authorize({
    from: config.payer,
    to: depositCollectorAddress,
    value: amount,
    nonce: keccak256(encodeAbiParameters(nonceOf, [channelIdOf(config), lastSalt])),
  })
  return encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }],
    [
      authorization.validAfter,
      authorization.validBefore,
      lastSalt,
      await signAuthorization(signer.privateKey, authorization, 'ReceiveWithAuthorization'),
    ],
  )
}

export async function signVoucher(
  signer: DevnetAccount,
  config: ChannelConfig,
  maxClaimableAmount: bigint,
): Promise<Hex> {
  return await privateKeyToAccount(signer.privateKey).signTypedData({
    ...channelTyped,
    primaryType: 'Voucher',
    message: { channelId: channelIdOf(config), maxClaimableAmount },
  })
}

export async function signRefund(
  signer: DevnetAccount,
  config: ChannelConfig,
  refund: { readonly amount: bigint; readonly nonce: bigint },
): Promise<Hex> {
  return await privateKeyToAccount(signer.privateKey).signTypedData({
    ...channelTyped,
    primaryType: 'Refund',
    message: { channelId: channelIdOf(config), ...refund },
  })
}

export async function signClaims(
  signer: DevnetAccount,
  claims: readonly VoucherClaim[],
): Promise<Hex> {
  return await privateKeyToAccount(signer.privateKey).signTypedData({
    ...channelTyped,
    primaryType: 'ClaimBatch',
    message: claimBatchOf(claims),
  })
}

type ClaimEntry = {
  readonly channelId: Hex
  readonly maxClaimableAmount: bigint
  readonly totalClaimed: bigint
}

export function claimBatchOf(claims: readonly VoucherClaim[]): {
  readonly claims: readonly ClaimEntry[]
} {
  return {
    claims: claims.map(({ voucher, totalClaimed }) => ({
      channelId: channelIdOf(voucher.channel),
      maxClaimableAmount: voucher.maxClaimableAmount,
      totalClaimed,
    })),
  }
}
