import type { Authorization, ChannelConfig, Hex, Voucher } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { depositCollector } from '../chain/addresses.ts'
import { lowerHex, parseHexOf } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { parseSeconds, parseUint } from '../wire/decimal-text.ts'
import { isComplete, missingField } from '../wire/is-complete.ts'
import { isObject } from '../wire/is-object.ts'
import { parseSignature } from '../wire/parse-signature.ts'

/** What every payload of a channel holds. */
export type ChannelClaim = {
  readonly channelId: Hex
  readonly config: ChannelConfig
  readonly voucher: Voucher
}

/** A payer's authorization to pull a deposit into its channel. */
export type SignedDeposit = {
  readonly authorization: Authorization
  /** 32 bytes from which, with the channel, the nonce is derived. */
  readonly salt: Hex
  readonly signature: Hex
}

/** A payload of the `batch-settlement` scheme in canonical form: hexadecimal in lower case. */
export type ChannelPayload =
  | (ChannelClaim & { readonly type: 'voucher' })
  | (ChannelClaim & { readonly type: 'deposit'; readonly deposit: SignedDeposit })
  /** Asks for the rest of the channel, or for `amount` of it. */
  | (ChannelClaim & { readonly type: 'refund'; readonly amount: Usdc | null })

export type ReadChannelPayload =
  | { readonly status: 'read'; readonly payload: ChannelPayload }
  | MalformedPayload

type MalformedPayload = { readonly status: 'malformed'; readonly message: string }

/** Reads what a client signed for a channel. No signature is checked. Never throws. */
export function readChannelPayload(
  payload: Readonly<Record<string, unknown>>,
  network: PaymentNetwork,
): ReadChannelPayload {
  const claim = readClaim(payload)
  if (claim.status === 'malformed') return claim
  const { type } = payload
  switch (type) {
    case 'voucher':
      return { status: 'read', payload: { type, ...claim.claim } }
    case 'deposit':
      return readDeposit(payload['deposit'], claim.claim, network)
    case 'refund': {
      const amount = payload['amount'] === undefined ? null : parseAmount(payload['amount'])
      if (amount === undefined)
        return malformed('payload.amount', 'must be atomic units as a decimal string')
      return { status: 'read', payload: { type, ...claim.claim, amount } }
    }
    default:
      return malformed('payload.type', 'must be voucher, deposit or refund')
  }
}

function malformed(param: string, message: string): MalformedPayload {
  return { status: 'malformed', message: `${param}: ${message}` }
}

function readClaim({
  channelConfig,
  voucher,
}: Readonly<Record<string, unknown>>):
  | { readonly status: 'read'; readonly claim: ChannelClaim }
  | MalformedPayload {
  if (!isObject(channelConfig)) return malformed('payload.channelConfig', 'must be an object')
  if (!isObject(voucher)) return malformed('payload.voucher', 'must be an object')
  const config = {
    payer: parseHexOf(20, channelConfig['payer']),
    payerAuthorizer: parseHexOf(20, channelConfig['payerAuthorizer']),
    receiver: parseHexOf(20, channelConfig['receiver']),
    receiverAuthorizer: parseHexOf(20, channelConfig['receiverAuthorizer']),
    token: parseHexOf(20, channelConfig['token']),
    withdrawDelay: parseDelay(channelConfig['withdrawDelay']),
    salt: parseHexOf(32, channelConfig['salt']),
  }
  if (!isComplete(config)) {
    const { name, problem } = missingField(config)
    return malformed(`payload.channelConfig.${name}`, problem)
  }
  const signed = {
    channelId: parseHexOf(32, voucher['channelId']),
    maxClaimableAmount: parseAmount(voucher['maxClaimableAmount']),
    signature: parseSignature(voucher['signature']),
  }
  if (!isComplete(signed)) {
    const { name, problem } = missingField(signed)
    return malformed(`payload.voucher.${name}`, problem)
  }
  const { channelId, maxClaimableAmount: max, signature } = signed
  return { status: 'read', claim: { channelId, config, voucher: { max, signature } } }
}

/** A `uint40` of the contract. */
function parseDelay(value: unknown): number | undefined {
  const isDelay = typeof value === 'number' && Number.isInteger(value) && value >= 0
  return isDelay && value < 2 ** 40 ? value : undefined
}

/** The ledger's amounts are smaller than the contract's. */
const maxAmount = 2n ** 63n - 1n

function parseAmount(value: unknown): Usdc | undefined {
  const amount = parseUint(value)
  return amount === undefined || amount > maxAmount ? undefined : atomicUsdc(amount)
}

function readDeposit(
  deposit: unknown,
  claim: ChannelClaim,
  network: PaymentNetwork,
): ReadChannelPayload {
  const authorization = isObject(deposit) ? deposit['authorization'] : undefined
  const signed = isObject(authorization) ? authorization['erc3009Authorization'] : undefined
  if (!isObject(deposit) || !isObject(signed)) {
    return malformed('payload.deposit.authorization', 'must have an erc3009Authorization')
  }
  const read = {
    amount: parseAmount(deposit['amount']),
    validAfter: parseSeconds(signed['validAfter']),
    validBefore: parseSeconds(signed['validBefore']),
    salt: parseHexOf(32, signed['salt']),
    signature: parseSignature(signed['signature']),
  }
  if (!isComplete(read)) {
    const { name, problem } = missingField(read)
    const place = name === 'amount' ? 'deposit' : 'deposit.authorization.erc3009Authorization'
    return malformed(`payload.${place}.${name}`, problem)
  }
  const { amount: value, salt, signature, ...times } = read
  const { chainId, usdc: asset } = network
  const nonce = depositNonce(claim.channelId, salt)
  const parties = { chainId, asset, from: claim.config.payer, to: depositCollector }
  return {
    status: 'read',
    payload: {
      type: 'deposit',
      ...claim,
      deposit: { authorization: { ...parties, value, nonce, ...times }, salt, signature },
    },
  }
}

const nonceParameters = parseAbiParameters('bytes32 channelId, uint256 salt')

/** The EIP-3009 nonce of a deposit, as its collector derives it. */
function depositNonce(channelId: Hex, salt: Hex): Hex {
  return lowerHex(keccak256(encodeAbiParameters(nonceParameters, [channelId, BigInt(salt)])))
}
