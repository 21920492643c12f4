import type { ChannelConfig, Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AdmissionRequest, ResponseHeaders } from '@farebox/payments'
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { channelDigests } from '../../../src/channel/channel-digests.ts'
import { authorizationDigests } from '../../../src/signature/authorization-digest.ts'
import { formatKeySignature } from '../../../src/signature/key-signature.ts'
import {
  createPrivateKeySigner,
  type PrivateKeySigner,
} from '../../../src/signature/private-key-signer.ts'
import { encode, network, resource } from '../../support/pay.ts'
import { type ChainChannels, hexOf, type TokenCall } from '../chain.ts'
import type { Random } from '../random.ts'
import type { SimContext } from '../sim-context.ts'
import { collector, newSimChannel, type SimChannel } from './channel-contract.ts'
import { channelRules, signatureOf } from './channel-ports.ts'

/** A payer with a channel, and what it remembers of it, as a stock client does. */
export type ChannelPayer = {
  readonly signer: PrivateKeySigner
  readonly address: Hex
  readonly config: ChannelConfig
  readonly channelId: Hex
  /** What it believes to have been charged, and to have deposited. */
  charged: bigint
  balance: bigint
  /** The vouchers that it signed. */
  readonly vouchers: SignedVoucher[]
  /** Of each deposit. */
  readonly depositing: { readonly least: number; readonly most: number }
  /** How many deposits it signed. */
  deposits: number
  /** Whether the contract refuses its vouchers, which no check has noticed. */
  isPoisoned: boolean
}

export type SignedVoucher = {
  readonly max: bigint
  readonly wire: Readonly<Record<string, unknown>>
}

/** A request with a voucher, and with a deposit if the channel needs one. */
export type PaidCall = {
  readonly request: AdmissionRequest
  readonly ceiling: bigint
  /** Where the payer stood when it signed. */
  readonly base: bigint
  readonly deposit: Extract<TokenCall, { readonly kind: 'transfer' }> | null
}

const digests = channelDigests(network.chainId)
const depositDigest = authorizationDigests(network).receive

/** Two or three payers with a channel each. */
export function drawChannelPayers(
  random: Random,
  treasury: Hex,
  depositing: ChannelPayer['depositing'],
): readonly ChannelPayer[] {
  const count = random.whole(2, 3)
  return Array.from({ length: count }, (_, index) => {
    return { ...createChannelPayer(index, treasury), depositing }
  })
}

function createChannelPayer(index: number, treasury: Hex): Omit<ChannelPayer, 'depositing'> {
  const signer = createPrivateKeySigner(hexOf(0xc0de + index, 32))
  if (signer === undefined) throw new Error('not a key')
  const { address } = signer
  const config = {
    payer: address,
    payerAuthorizer: address,
    receiver: treasury,
    receiverAuthorizer: treasury,
    token: network.usdc,
    withdrawDelay: channelRules.withdrawDelaySeconds,
    salt: hexOf(0, 32),
  }
  const channelId = digests.channelId(config)
  return {
    signer,
    address,
    config,
    channelId,
    charged: 0n,
    balance: 0n,
    vouchers: [],
    deposits: 0,
    isPoisoned: false,
  }
}

/** What the contract knows of the payers: their channels and what they signed. */
export function chainChannels(payers: readonly ChannelPayer[]): ChainChannels {
  const byId = new Map(payers.map((payer) => [payer.channelId, payer]))
  return {
    channels: payers.map(({ channelId, config }) => newSimChannel(channelId, config)),
    isVoucher({ channelId, max, signature }) {
      const { vouchers = [], isPoisoned = true } = byId.get(channelId) ?? {}
      if (isPoisoned) return false
      return vouchers.some((one) => one.max === max && one.wire['signature'] === signature)
    },
    isAuthorized: (signature, authorizer, terms) => signature === signatureOf(authorizer, terms),
  }
}

/** What the contract holds of a payer's channel now. */
export function onChain({ chain }: SimContext, { channelId, config }: ChannelPayer): SimChannel {
  return chain.head().contract.channels.get(channelId) ?? newSimChannel(channelId, config)
}

export type CallAsked = {
  readonly ceiling: bigint
  /** Of the request. */
  readonly digest: string
  /** Whether it deposits what the channel lacks, or signs more than there is. */
  readonly manner: 'deposits' | 'overdraws'
}

/** Signs a call on top of what was charged, with a deposit if the channel does not cover it. */
export function signChannelCall(
  context: SimContext,
  payer: ChannelPayer,
  { ceiling, digest, manner }: CallAsked,
): PaidCall {
  const base = payer.charged
  const max = base + ceiling
  if (max > payer.balance && manner === 'deposits') {
    return callOn(payer, { ceiling, digest, signed: signDeposit(context, payer) })
  }
  const voucher = { type: 'voucher', channelConfig: payer.config, voucher: signVoucher(payer, max) }
  return { request: requestWith(voucher, { ceiling, digest }), ceiling, base, deposit: null }
}

/** Signs a call on top of what was charged, and presents a deposit with it, signed now or earlier. */
export function callOn(
  payer: ChannelPayer,
  { ceiling, digest, signed }: Omit<CallAsked, 'manner'> & { readonly signed: SignedDeposit },
): PaidCall {
  const { config, charged: base } = payer
  const voucher = signVoucher(payer, base + ceiling)
  const payload = { type: 'deposit', channelConfig: config, voucher, deposit: signed.wire }
  const request = requestWith(payload, { ceiling, digest })
  return { request, ceiling, base, deposit: signed.deposit }
}

/** A request at the channel endpoint to return the rest of the channel, signed where its payer stands. */
export function signRefundRequest(payer: ChannelPayer): AdmissionRequest {
  const wire = signVoucher(payer, payer.charged)
  const payload = { type: 'refund', channelConfig: payer.config, voucher: wire }
  return requestWith(payload, { ceiling: 0n, digest: '' })
}

/** A request that presents a payload of the scheme, for a call of so much at most. */
export function requestWith(
  payload: Readonly<Record<string, unknown>>,
  { ceiling, digest }: { readonly ceiling: bigint; readonly digest: string },
): AdmissionRequest {
  const accepted = {
    scheme: 'batch-settlement',
    network: network.caip2,
    amount: ceiling.toString(),
    asset: network.usdc,
    payTo: hexOf(0x7ea5, 20),
    maxTimeoutSeconds: 300,
    extra: {},
  }
  return {
    headers: { 'payment-signature': encode({ x402Version: 2, accepted, payload }) },
    resource,
    offers: [{ amount: atomicUsdc(ceiling), model: 'sandbox/echo', priceVersion: 'v1' }],
    requestDigest: digest,
    challenge: {},
  }
}

function signVoucher(
  { signer, channelId, vouchers }: ChannelPayer,
  max: bigint,
): Readonly<Record<string, unknown>> {
  const signature = formatKeySignature(signer.sign(digests.voucher(channelId, max)))
  const wire = { channelId, maxClaimableAmount: max.toString(), signature }
  vouchers.push({ max, wire })
  return wire
}

const nonceParameters = parseAbiParameters('bytes32 channelId, uint256 salt')

export type SignedDeposit = {
  readonly deposit: NonNullable<PaidCall['deposit']>
  readonly wire: Readonly<Record<string, unknown>>
}

export function signDeposit(context: SimContext, payer: ChannelPayer): SignedDeposit {
  const { world } = context
  const { least, most } = payer.depositing
  context.count('channel: deposit signed')
  if (onChain(context, payer).balance > 0n) context.count('channel: topped up')
  payer.deposits += 1
  const salt = BigInt(payer.deposits)
  const value = BigInt(world.random.whole(least, most))
  const validBefore = Math.floor(world.now() / 1000) + world.random.whole(20, 90)
  const nonce = keccak256(encodeAbiParameters(nonceParameters, [payer.channelId, salt]))
  const terms = { from: payer.address, to: collector, value, nonce }
  const digest = depositDigest({ ...terms, value: atomicUsdc(value), validAfter: 0, validBefore })
  const signature = formatKeySignature(payer.signer.sign(digest))
  const times = { validAfter: '0', validBefore: validBefore.toString() }
  const signed = { ...times, salt: hexOf(payer.deposits, 32), signature }
  return {
    deposit: { kind: 'transfer', ...terms, validBefore },
    wire: { amount: value.toString(), authorization: { erc3009Authorization: signed } },
  }
}

/** Takes the receipt of a call, as a stock client does: only if it continues from where it stands. */
export function takeReceipt(payer: ChannelPayer, call: PaidCall, headers: ResponseHeaders): void {
  const receipt = read(headers['PAYMENT-RESPONSE'])
  const extra = receipt?.extra
  if (extra?.chargedAmount === undefined) return
  const charged = BigInt(extra.chargedAmount)
  const total = BigInt(extra.channelState?.chargedCumulativeAmount ?? '0')
  if (charged <= call.ceiling && total === payer.charged + charged) payer.charged = total
  if (call.deposit !== null) payer.balance += call.deposit.value
}

/** Adopts where a correction says that the channel stands; without a proof it reads the chain. */
export function takeCorrection(
  context: SimContext,
  payer: ChannelPayer,
  headers: ResponseHeaders,
): 'corrected' | 'refused' {
  const required = read(headers['PAYMENT-REQUIRED'])
  if (required?.error?.includes('cumulative_amount_mismatch') !== true) {
    const [code = ''] = (required?.error ?? '').split(' ')
    context.count(`channel: refused, ${code.replace('invalid_batch_settlement_evm_', '')}`)
    return 'refused'
  }
  const entry = required.accepts?.find(({ scheme }) => scheme === 'batch-settlement')
  const { channelState, voucherState } = entry?.extra ?? {}
  const { balance, totalClaimed } = onChain(context, payer)
  payer.balance = balance
  const isProven = payer.vouchers.some(({ wire }) => wire['signature'] === voucherState?.signature)
  const charged = BigInt(channelState?.chargedCumulativeAmount ?? '0')
  payer.charged = isProven ? charged : totalClaimed
  context.count(isProven ? 'channel: corrected with a proof' : 'channel: corrected without a proof')
  return 'corrected'
}

type Message = {
  readonly error?: string
  readonly accepts?: readonly {
    readonly scheme: string
    readonly extra: {
      readonly channelState?: { readonly chargedCumulativeAmount: string }
      readonly voucherState?: { readonly signature: string }
    }
  }[]
  readonly extra?: {
    readonly chargedAmount?: string
    readonly channelState?: { readonly chargedCumulativeAmount: string }
  }
}

function read(header: string | undefined): Message | undefined {
  if (header === undefined) return undefined
  return JSON.parse(Buffer.from(header, 'base64').toString()) as Message
}
