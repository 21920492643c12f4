import { type ChannelRecord, type Hex, type LedgerStore, TransitionError } from '@farebox/ledger'
import { formatDecimal, times } from '@farebox/money'
import { parseHexOf } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { channelDigests } from '../channel/channel-digests.ts'
import {
  type ChannelClaim,
  type ChannelPayload,
  type ReadChannelPayload,
  readChannelPayload,
} from '../channel/channel-payload.ts'
import { channelState, provenState } from '../channel/channel-receipt.ts'
import {
  type ChannelState,
  type ChannelTerms,
  channelRequirements,
} from '../channel/channel-requirements.ts'
import { createVoucherCheck } from '../channel/check-voucher.ts'
import type { ChannelRounds } from '../channel-chain/channel-rounds.ts'
import type { CloseOutcome } from '../channel-chain/close-round.ts'
import { checkChannel } from '../channel-gate/check-channel.ts'
import type { Observer } from '../events/payment-events.ts'
import { rejectionText } from '../signature/rejection-text.ts'
import { encodeHeader, type PaymentEnvelope, readEnvelope } from '../wire/payment-envelope.ts'
import { challengeHeader } from '../wire/payment-required.ts'
import { type PublicChannel, publicChannel, restOf } from './public-channel.ts'
import {
  type ChannelRequest,
  type ChannelResponse,
  type TakeDepositOptions,
  takeDeposit,
} from './take-deposit.ts'

/** What payers can do with their channels besides paying calls. */
export type ChannelEndpoint = {
  /**
   * Answers a request without a payment with the terms of a channel. A `deposit` payload deposits;
   * a `refund` payload closes the channel and returns what is not charged.
   */
  answer(request: ChannelRequest): Promise<ChannelResponse>
  /** A channel's figures; undefined if it is unknown. */
  figures(id: string): Promise<PublicChannel | undefined>
}

export type ChannelEndpointOptions = {
  readonly store: LedgerStore
  /** Takes deposits. */
  readonly gate: TakeDepositOptions['gate']
  readonly terms: ChannelTerms
  readonly ownAccounts: readonly Hex[]
  readonly clock: () => number
  readonly notify: Observer
  /** Has a channel closed while its payer waits; without it the next round closes it. */
  readonly closeNow?: ChannelRounds['closeNow'] | undefined
}

/**
 * Creates the channel endpoint. A refund costs us gas, and vouchers become public once claimed. So a
 * refund requires a channel that was charged enough or is old enough, and a voucher for exactly the
 * current charge.
 */
export function createChannelEndpoint(options: ChannelEndpointOptions): ChannelEndpoint {
  const { store, terms, ownAccounts } = options
  const digests = channelDigests(terms.network.chainId)
  const checks = {
    channelTerms: terms,
    ownAccounts,
    channelIdOf: digests.channelId,
    checkVoucher: createVoucherCheck(digests),
  }

  async function answerEnvelope(
    request: ChannelRequest,
    envelope: PaymentEnvelope,
  ): Promise<ChannelResponse> {
    const asked = readAsked(envelope, terms.network)
    switch (asked.status) {
      case 'malformed':
        return refused(options, request, { reason: `${scheme}_refund_payload (${asked.message})` })
      case 'deposit':
        return await takeDeposit(options, { ...request, channelId: asked.channelId })
      case 'refund':
        return await answerRefund(request, asked.payload)
    }
  }

  async function answerRefund(
    request: ChannelRequest,
    payload: RefundPayload,
  ): Promise<ChannelResponse> {
    const rejection = await checkChannel(checks, payload)
    if (rejection !== null) return refused(options, request, { reason: rejection })
    const channel = await store.loadChannel(payload.channelId)
    if (channel === undefined) {
      const message = 'The gateway does not know this channel. A deposit opens it.'
      return refused(options, request, { reason: `${scheme}_channel_not_found`, message })
    }
    const refusal = await refusalOf(options, { channel, ...payload })
    if (refusal !== null) return refused(options, request, refusal)
    return accepted(await requestRefund(options, channel))
  }

  return {
    async answer(request) {
      const read = readEnvelope(request.headers)
      if (read.status === 'read') return await answerEnvelope(request, read.envelope)
      const reason = read.status === 'absent' ? undefined : `invalid_payment (${read.message})`
      return refused(options, request, { reason })
    },
    async figures(id) {
      const channelId = parseHexOf(32, id)
      const channel = channelId && (await store.loadChannel(channelId))
      return channel && publicChannel(channel)
    },
  }
}

const scheme = 'invalid_batch_settlement_evm'

type RefundPayload = Extract<ChannelPayload, { readonly type: 'refund' }>

/** What a request to the endpoint asks for. */
type Asked =
  | Extract<ReadChannelPayload, { readonly status: 'malformed' }>
  | { readonly status: 'deposit'; readonly channelId: Hex }
  | { readonly status: 'refund'; readonly payload: RefundPayload }

function readAsked(envelope: PaymentEnvelope, network: PaymentNetwork): Asked {
  if (envelope.scheme !== 'batch-settlement' || envelope.protocol !== 2) {
    return { status: 'malformed', message: 'scheme: must be batch-settlement of version 2' }
  }
  const read = readChannelPayload(envelope.payload, network)
  if (read.status === 'malformed') return read
  const { payload } = read
  switch (payload.type) {
    case 'deposit':
      return { status: 'deposit', channelId: payload.channelId }
    case 'refund':
      return { status: 'refund', payload }
    case 'voucher':
      return { status: 'malformed', message: 'payload.type: must be deposit or refund' }
  }
}

type Refusal = {
  readonly reason: string | undefined
  /** Human-readable; `reason` is for x402 clients. */
  readonly message?: string
  readonly state?: ChannelState
}

type RefundAsked = ChannelClaim & {
  readonly channel: ChannelRecord
  /** A part of the rest; null for all of it. */
  readonly amount: bigint | null
}

async function refusalOf(
  options: ChannelEndpointOptions,
  { channel, voucher, amount }: RefundAsked,
): Promise<Refusal | null> {
  const { status, charged } = channel
  const rest = restOf(channel)
  if (status === 'closing') return null
  if (status === 'frozen') return { reason: 'channel_frozen', message: frozen }
  if (status !== 'open' || rest === 0n) {
    const message = 'The channel has nothing left to refund.'
    return { reason: `${scheme}_refund_no_balance`, message }
  }
  if (amount !== null && amount !== rest) {
    const message = `A refund returns all that is left, ${formatDecimal(rest, 6)} USDC. Leave out the amount.`
    return { reason: `${scheme}_refund_amount_invalid`, message }
  }
  const used = await options.store.findCall(channel.id, voucher.max)
  const stands = voucher.max === charged || (voucher.max > charged && used === undefined)
  if (!stands) {
    const isUsed = used !== undefined
    const state = await stateOf(options, { channel, voucher, isUsed })
    const message = 'The voucher does not match what the channel was charged. Sign another one.'
    return { reason: `${scheme}_cumulative_amount_mismatch`, message, ...(state && { state }) }
  }
  const at = refundableAt(options, channel)
  return options.clock() >= at ? null : tooEarly(options, channel, at)
}

const frozen =
  'The gateway can no longer close this channel. Withdraw the rest from the contract yourself.'

function tooEarly(
  { terms }: ChannelEndpointOptions,
  { refundNonce }: ChannelRecord,
  at: number,
): Refusal {
  const from = new Date(Math.ceil(at / 1_000) * 1_000).toISOString()
  const time = `${from.slice(0, 10)} ${from.slice(11, 19)} UTC`
  const minCharged = times(terms.policy.refundAtOnceAbove, refundNonce + 1n)
  return {
    reason: `refund_too_early: ask again after ${from}`,
    message: `The channel can be closed after ${time}, or as soon as its calls have cost ${formatDecimal(minCharged, 6)} USDC in all: closing it costs the gateway gas.`,
  }
}

/**
 * From when on a refund is made on request, in milliseconds since 1970: at once if what was charged
 * pays for the gas of all refunds so far. The age of a channel counts until its first refund only,
 * or it could be deposited into and refunded over and over.
 */
function refundableAt(
  { terms }: ChannelEndpointOptions,
  { charged, refundNonce, createdAt, lastCallAt }: ChannelRecord,
): number {
  const { refundAtOnceAbove, refundAtOnceAfterMs } = terms.policy
  if (charged >= times(refundAtOnceAbove, refundNonce + 1n)) return createdAt
  return (refundNonce === 0n ? createdAt : lastCallAt) + refundAtOnceAfterMs
}

/**
 * With a proof, as in the correction of a call. The highest voucher buys no call once it was shown
 * for a used one, which a thief may present.
 */
async function stateOf(
  { store }: ChannelEndpointOptions,
  {
    channel,
    voucher,
    isUsed,
  }: Pick<RefundAsked, 'channel' | 'voucher'> & { readonly isUsed: boolean },
): Promise<ChannelState | undefined> {
  const { signed: max, signature, id, charged } = channel
  if (voucher.max >= charged) return provenState(channel, charged, voucher)
  if (signature === null) return undefined
  if (isUsed && (await store.findCall(id, max)) === undefined) await store.publishVoucher(id, max)
  return provenState(channel, charged, { max, signature })
}

/**
 * Requests the return of the rest of a channel, which sells nothing from here on. What was charged
 * is claimed and the rest refunded at once, or by the rounds on the chain while a call is in
 * flight.
 */
async function requestRefund(
  options: ChannelEndpointOptions,
  channel: ChannelRecord,
): Promise<CloseOutcome> {
  const closing = await markClosing(options, channel)
  return (await options.closeNow?.(closing)) ?? { status: 'closing', channel: closing }
}

/** Another request may have marked it meanwhile. */
async function markClosing(
  { store, clock, notify }: ChannelEndpointOptions,
  channel: ChannelRecord,
): Promise<ChannelRecord> {
  if (channel.status === 'closing') return channel
  try {
    const closing = await store.applyToChannel(channel, { type: 'closing', at: clock() })
    notify({ type: 'channel_closing', channel: closing.channel, reason: 'payer_asked' })
    return closing.channel
  } catch (error) {
    if (!(error instanceof TransitionError)) throw error
    return (await store.loadChannel(channel.id)) ?? channel
  }
}

/** The transaction and its amount are empty while the refund is still to be sent. */
function accepted(outcome: CloseOutcome): ChannelResponse {
  const { channel } = outcome
  const [transaction, amount] =
    outcome.status === 'closed' ? [outcome.transaction, outcome.amount.toString()] : ['', '']
  const settlement = {
    success: true,
    payer: channel.config.payer,
    transaction,
    network: `eip155:${channel.chainId}`,
    amount,
    extra: channelState(channel, channel.charged),
  }
  return {
    status: 200,
    headers: { 'PAYMENT-RESPONSE': encodeHeader(settlement), 'Cache-Control': 'no-store' },
    body: publicChannel(channel),
  }
}

function refusedText(terms: ChannelTerms, reason: string): string {
  const text = `The request was refused (${reason}). No money moved.`
  const fix = rejectionText(reason, { ...terms, amount: terms.policy.minCharge })
  return fix === undefined ? text : `${text} ${fix}`
}

/** 402 with the terms of a channel alone: nothing is sold here. */
function refused(
  { terms }: ChannelEndpointOptions,
  { resource }: ChannelRequest,
  { reason, message: sentence, state }: Refusal,
): ChannelResponse {
  const entry = channelRequirements(terms, terms.policy.minCharge, state)
  const message =
    reason === undefined
      ? 'Send a refund payload of the batch-settlement scheme to close a channel and get back the rest.'
      : (sentence ?? refusedText(terms, reason))
  return {
    status: 402,
    headers: {
      'PAYMENT-REQUIRED': challengeHeader({ reason, resource, accepts: [entry] }),
      'Cache-Control': 'no-store',
    },
    body: { statusCode: 402, error: 'Payment Required', message },
  }
}
