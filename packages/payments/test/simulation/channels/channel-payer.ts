import type { ChannelConfig, Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import type { AdmissionRequest, ResponseHeaders } from '@farebox/payments'
import { computeChannelId, signVoucher } from '@x402/evm/batch-settlement/client'
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { authorizationTypes, encode, network, resource, tokenDomain } from '../../support/pay.ts'
import { type Call, hexOf } from '../chain.ts'
import type { Random } from '../random.ts'
import type { SimContext } from '../sim-context.ts'

/** Where deposits go: `receiveWithAuthorization` pays only its caller. */
export const collector: Hex = '0x4020806089470a89826cb9fb1f4059150b550004'

/** A payer with a channel, and what it remembers of it, as a stock client does. */
export type ChannelPayer = {
  readonly account: PrivateKeyAccount
  readonly address: Hex
  readonly config: ChannelConfig
  readonly channelId: Hex
  /** What it believes to have been charged, and to have deposited. */
  charged: bigint
  balance: bigint
  /** The vouchers that it signed. */
  readonly vouchers: SignedVoucher[]
  /** How many deposits it signed. */
  deposits: number
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
  readonly deposit: Extract<Call, { readonly kind: 'transfer' }> | null
}

/** Two or three payers with a channel each. */
export function drawChannelPayers(random: Random, treasury: Hex): readonly ChannelPayer[] {
  const count = random.whole(2, 3)
  return Array.from({ length: count }, (_, index) => createChannelPayer(index, treasury))
}

function createChannelPayer(index: number, treasury: Hex): ChannelPayer {
  const account = privateKeyToAccount(hexOf(0xc0de + index, 32))
  const address = account.address.toLowerCase() as Hex
  const config = {
    payer: address,
    payerAuthorizer: address,
    receiver: treasury,
    receiverAuthorizer: treasury,
    token: network.usdc,
    withdrawDelay: 86_400,
    salt: hexOf(0, 32),
  }
  const channelId = computeChannelId(config, network.caip2)
  return {
    account,
    address,
    config,
    channelId,
    charged: 0n,
    balance: 0n,
    vouchers: [],
    deposits: 0,
  }
}

export type CallAsked = {
  readonly ceiling: bigint
  /** Of the request. */
  readonly digest: string
  /** Whether it deposits what the channel lacks, or signs more than there is. */
  readonly manner: 'deposits' | 'overdraws'
}

/** Signs a call on top of what was charged, with a deposit if the channel does not cover it. */
export async function signChannelCall(
  context: SimContext,
  payer: ChannelPayer,
  { ceiling, digest, manner }: CallAsked,
): Promise<PaidCall> {
  const base = payer.charged
  const max = base + ceiling
  const needsDeposit = max > payer.balance && manner === 'deposits'
  const wire = await signVoucher(payer.account, payer.channelId, max.toString(), network.caip2)
  payer.vouchers.push({ max, wire })
  const voucher = { type: 'voucher', channelConfig: payer.config, voucher: wire }
  if (!needsDeposit) {
    return { request: requestWith(voucher, { ceiling, digest }), ceiling, base, deposit: null }
  }
  const { deposit, wire: signed } = await signDeposit(context, payer)
  context.count('channel: deposit signed')
  const payload = { ...voucher, type: 'deposit', deposit: signed }
  return { request: requestWith(payload, { ceiling, digest }), ceiling, base, deposit }
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

const nonceParameters = parseAbiParameters('bytes32 channelId, uint256 salt')

async function signDeposit({ world }: SimContext, payer: ChannelPayer) {
  const { random } = world
  payer.deposits += 1
  const salt = BigInt(payer.deposits)
  const value = BigInt(random.whole(20_000, 60_000))
  const validBefore = Math.floor(world.now() / 1000) + random.whole(20, 90)
  const nonce = keccak256(encodeAbiParameters(nonceParameters, [payer.channelId, salt]))
  const terms = { from: payer.address, to: collector, value, nonce }
  const signature = await payer.account.signTypedData({
    domain: tokenDomain,
    types: { ReceiveWithAuthorization: authorizationTypes.TransferWithAuthorization },
    primaryType: 'ReceiveWithAuthorization',
    message: { ...terms, validAfter: 0n, validBefore: BigInt(validBefore) },
  })
  const times = { validAfter: '0', validBefore: validBefore.toString() }
  const signed = { ...times, salt: hexOf(payer.deposits, 32), signature }
  return {
    deposit: { kind: 'transfer', ...terms, validBefore } as const,
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
  { chain, count }: SimContext,
  payer: ChannelPayer,
  headers: ResponseHeaders,
): 'corrected' | 'refused' {
  const required = read(headers['PAYMENT-REQUIRED'])
  if (required?.error?.includes('cumulative_amount_mismatch') !== true) return 'refused'
  const entry = required.accepts?.find(({ scheme }) => scheme === 'batch-settlement')
  const { channelState, voucherState } = entry?.extra ?? {}
  const deposits = chain.logs().flatMap(({ call }) => {
    return call.kind === 'transfer' && call.to === collector && call.from === payer.address
      ? [call.value]
      : []
  })
  payer.balance = deposits.reduce((sum, value) => sum + value, 0n)
  const isProven = payer.vouchers.some(({ wire }) => wire['signature'] === voucherState?.signature)
  const charged = BigInt(channelState?.chargedCumulativeAmount ?? '0')
  payer.charged = isProven ? charged : 0n
  count(isProven ? 'channel: corrected with a proof' : 'channel: corrected without a proof')
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
