import {
  type ChannelRecord,
  createPaymentId,
  type Hex,
  type NewPayment,
  type PaymentId,
  type PaymentRecord,
} from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { type ChannelReceipt, channelReceiptHeaders } from '../channel/channel-receipt.ts'
import { reportHold } from '../channel/hold-report.ts'
import type { Refusal } from '../gate/check-payer.ts'
import type { Admission } from '../gate/payment-gate.ts'
import { afterClaim } from '../gate/resume-payment.ts'
import type { BeyondLimit } from '../policy/payer-limits.ts'
import type { CallAttempt, ChannelCall } from './channel-call.ts'
import type { ChannelPorts } from './channel-ports.ts'
import { correctAside, correctCall, decideAwaited, isAwaited, isDoubted } from './correct-call.ts'
import {
  limitReached,
  payerLimitReached,
  refuseChannel,
  refuseClient,
  salesStopped,
} from './refuse-channel.ts'

/**
 * Admits a call that its channel covers, once for each voucher. Any other voucher is answered with
 * the channel's state, so that the client signs one that fits.
 */
export async function admitCall(ports: ChannelPorts, call: ChannelCall): Promise<Admission> {
  return await answerAttempt(ports, call, await attemptCall(ports, call))
}

/** Answers a call that was tried to hold: with its admission, or with a correction. */
export async function answerAttempt(
  ports: ChannelPorts,
  call: ChannelCall,
  attempt: CallAttempt,
): Promise<Admission> {
  if (attempt.status === 'decided') return attempt.admission
  if (attempt.status === 'misfit') {
    if (await isDoubted(ports, attempt)) return await correctAside(ports, call, attempt)
    if (isAwaited(call, attempt.channel)) return await decideAwaited(ports, call, attemptCall)
  }
  return await correctCall(ports, call, attemptCall)
}

/** Tries to hold a call, without a correction. */
export async function attemptCall(ports: ChannelPorts, call: ChannelCall): Promise<CallAttempt> {
  // The rules for every channel. The rules for this one are checked when the call is held.
  const forAll =
    (await refuseChannel(ports, undefined, call)) ??
    call.request.salesStoppedReason ??
    (await refuseClient(ports, call))
  if (forAll === null) return await holdCall(ports, call)
  const found = await resumeHeld(ports, call)
  if (found.status !== 'not_held') return found
  const { channel } = found
  const reason = (await refuseChannel(ports, channel, call)) ?? forAll
  if (typeof reason !== 'string') return refused(ports, { call, channel, refusal: reason })
  return call.deposit === null
    ? decided(ports.admissions.unavailable(reason))
    : refused(ports, { call, channel, refusal: salesStopped })
}

type NotHeld = {
  readonly status: 'not_held'
  readonly channel: ChannelRecord
  /** The call that the voucher paid for; undefined if it is unused. */
  readonly prior: PaymentRecord | undefined
}

/** Resumes a call that was held before, without holding one that was not. */
export async function resumeHeld(
  ports: ChannelPorts,
  call: ChannelCall,
): Promise<NotHeld | Exclude<CallAttempt, { readonly status: 'misfit' }>> {
  const { store } = ports
  const { channelId, voucher } = call
  const channel = await store.loadChannel(channelId)
  if (channel === undefined) return { status: 'no_channel' }
  const prior = await store.findCall(channelId, voucher.max)
  const resumed = prior && (await resumeCall(ports, { call, channel, prior }))
  return resumed === undefined ? { status: 'not_held', channel, prior } : decided(resumed)
}

function decided(admission: Admission): Extract<CallAttempt, { readonly status: 'decided' }> {
  return { status: 'decided', admission }
}

type Refused = {
  readonly call: ChannelCall
  readonly channel: ChannelRecord
  readonly refusal: Refusal
}

/**
 * A 402. If the request's deposit is in the channel, it carries the receipt of that deposit and of
 * a call that cost nothing, since the client would otherwise deposit again.
 */
function refused(ports: ChannelPorts, { call, channel, refusal }: Refused): CallAttempt {
  const { deposit, request } = call
  if (deposit === null) return decided(ports.admissions.refused(request, refusal))
  const message = `The deposit of this request is in its channel. ${refusal.message}`
  const charge = { chargedAmount: 0n, chargedCumulativeAmount: baseOf(call) }
  const { paymentId } = deposit
  const receipt = receiptOf(ports, { channel, charge, cost: atomicUsdc(0n), deposit, paymentId })
  return decided(ports.admissions.refused(request, { ...refusal, message }, receipt))
}

async function holdCall(ports: ChannelPorts, call: ChannelCall): Promise<CallAttempt> {
  const { exposure, channelTerms, store } = ports
  const { channelId, voucher, ceiling } = call
  // A voucher below the ceiling cannot be claimed, and an empty one cannot be booked.
  if (voucher.max < ceiling) {
    const channel = await store.loadChannel(channelId)
    return channel === undefined
      ? { status: 'no_channel' }
      : await misfitOrRefused(ports, call, { channel, isUsed: false })
  }
  const inAll = await exposure.limitFor(ceiling)
  const limits = { ofChannel: channelTerms.policy.maxUnclaimed, inAll }
  const sold = newCall(ports, call)
  const outcome = await ports.payerLimiter.within(sold.authorization, () =>
    store.holdCall(sold, voucher, limits),
  )
  switch (outcome.status) {
    case 'beyond_limit':
      return await beyondLimit(ports, call, outcome)
    case 'held':
      return decided(admitHeld(ports, call, outcome))
    case 'taken': {
      const { channel, payment: prior } = outcome
      const resumed = await resumeCall(ports, { call, channel, prior })
      return resumed === undefined
        ? await misfitOrRefused(ports, call, { channel, isUsed: true, isOld: isOld(ports, prior) })
        : decided(resumed)
    }
    case 'misfit':
      return await misfitOrRefused(ports, call, { channel: outcome.channel, isUsed: false })
    case 'limit_reached':
      return refused(ports, {
        call,
        channel: outcome.channel,
        refusal: limitReached[outcome.limit],
      })
    case 'no_channel':
      return { status: 'no_channel' }
  }
}

/** The payer has reached its own limit. A call that was held before is resumed all the same. */
async function beyondLimit(
  ports: ChannelPorts,
  call: ChannelCall,
  beyond: BeyondLimit,
): Promise<CallAttempt> {
  const found = await resumeHeld(ports, call)
  if (found.status !== 'not_held') return found
  return call.deposit === null
    ? decided(ports.admissions.limited(call.config.payer, beyond))
    : refused(ports, { call, channel: found.channel, refusal: payerLimitReached })
}

/** Whether a call ended so long ago that no parallel call of its client can have the same voucher. */
export function isOld(
  { clock, channelTerms }: ChannelPorts,
  { status, updatedAt }: PaymentRecord,
): boolean {
  const { maxTurnWaitMs } = channelTerms.policy
  return status !== 'serving' && clock() - updatedAt > maxTurnWaitMs
}

/** Explains why the channel sells nothing now; otherwise the client signs another voucher. */
async function misfitOrRefused(
  ports: ChannelPorts,
  call: ChannelCall,
  found: Omit<Extract<CallAttempt, { readonly status: 'misfit' }>, 'status'>,
): Promise<CallAttempt> {
  const { channel } = found
  const refusal = await refuseChannel(ports, channel, call)
  return refusal === null
    ? { status: 'misfit', ...found }
    : refused(ports, { call, channel, refusal })
}

function admitHeld(
  ports: ChannelPorts,
  call: ChannelCall,
  { payment, channel }: { readonly payment: PaymentRecord; readonly channel: ChannelRecord },
): Admission {
  const { deposit, request } = call
  ports.turnstile.arrived(channel.id)
  // With whichever voucher: a client counts the receipts of its other calls too.
  if (ports.oldTurns.get(channel.id)?.digest === request.requestDigest) {
    ports.oldTurns.delete(channel.id)
  }
  ports.leases.enter(payment, 'serving')
  ports.heldCalls.add(payment.id, { base: baseOf(call), deposit })
  return { status: 'settled', payment, headers: holdHeaders(ports, call, { payment, channel }) }
}

function holdHeaders(
  ports: ChannelPorts,
  call: ChannelCall,
  { payment, channel }: { readonly payment: PaymentRecord; readonly channel: ChannelRecord },
): Readonly<Record<string, string>> {
  const { ceiling, deposit } = call
  const { charged, reserved } = channel
  const charge = reportHold({ charged, reserved, base: baseOf(call), ceiling })
  const { cost, id: paymentId } = payment
  return receiptOf(ports, { channel, charge, cost, deposit, paymentId })
}

function receiptOf(
  { terms }: ChannelPorts,
  receipt: Omit<ChannelReceipt, 'network'>,
): Readonly<Record<string, string>> {
  return channelReceiptHeaders({ network: terms.network.caip2, ...receipt })
}

function baseOf({ voucher, ceiling }: ChannelCall): bigint {
  return voucher.max - ceiling
}

/**
 * Resumes the same call: it is in flight, or its answer is stored. Undefined if the voucher paid
 * for another call, or for an answer that is no longer stored: then the client signs another one.
 */
async function resumeCall(
  ports: ChannelPorts,
  presented: {
    readonly call: ChannelCall
    readonly channel: ChannelRecord
    readonly prior: PaymentRecord
  },
): Promise<Admission | undefined> {
  const { store, clock, admissions } = ports
  const { call, channel, prior } = presented
  if (prior.requestDigest !== call.request.requestDigest) return undefined
  if (prior.status === 'serving') return admissions.inFlight(prior)
  return await afterClaim(ports, prior, async () => {
    const answer = await store.loadAnswer(prior.id, clock())
    if (answer === undefined) return undefined
    const headers = holdHeaders(ports, call, { payment: prior, channel })
    return { status: 'replayed', payment: prior, answer, headers }
  })
}

function newCall(
  { clock, owner, leases, randomBytes, terms }: ChannelPorts,
  { channelId, config, ceiling, offer, request }: ChannelCall,
): NewPayment {
  const now = clock()
  const id = createPaymentId(now, randomBytes(10))
  return {
    id,
    kind: 'channel_call',
    channelId,
    network: terms.network.caip2,
    authorization: {
      chainId: terms.network.chainId,
      asset: config.token,
      from: config.payer,
      to: config.receiver,
      value: ceiling,
      nonce: callNonce(id, channelId),
      validAfter: 0,
      validBefore: Math.floor(now / 1000) + terms.maxTimeoutSeconds,
    },
    payload: null,
    requestDigest: request.requestDigest,
    resource: request.resource.url,
    model: offer.model,
    priceVersion: offer.priceVersion,
    clientPaymentId: null,
    intentBlock: 0,
    lease: { owner, until: leases.until() },
    createdAt: now,
  }
}

/**
 * Unlike an authorization's, it is never used on the chain. It increases like ids, so it is
 * appended to a payer's range in the ledger's index.
 */
function callNonce(id: PaymentId, channelId: Hex): Hex {
  return `0x${id.slice(-32)}${channelId.slice(2, 34)}`
}
