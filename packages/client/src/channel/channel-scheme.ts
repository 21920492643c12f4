import { atomicUsdc, greatest, least, times, type Usdc } from '@farebox/money'
import { isEventStream } from '../http/is-event-stream.ts'
import { isRecord } from '../http/is-record.ts'
import { isText } from '../http/is-text.ts'
import { readJson } from '../http/read-json.ts'
import {
  type ChannelUnused,
  capsExceeded,
  depositAboveLimit,
  notOffered,
  refusedBy,
} from '../pay/channel-unused.ts'
import { costOfFailure, type PaymentScheme, type SignedPayment } from '../pay/exact-scheme.ts'
import { pause } from '../pay/pause.ts'
import type { PaymentTerms } from '../pay/payment-offer.ts'
import type { Decision } from '../pay/repeat-until-decided.ts'
import type { Reservation } from '../pay/spend-budget.ts'
import type { CallHold } from './channel-book.ts'
import { type ChannelOffer, chooseChannelOffer } from './channel-offer.ts'
import { readChannelReceipt } from './channel-receipt.ts'
import type { OpenChannel, OpenChannels } from './open-channels.ts'
import { signDeposit, signVoucher } from './sign-call.ts'
import type { ChannelSigner } from './sign-channel.ts'

export type ChannelSchemeOptions = {
  readonly channels: OpenChannels
  readonly sign: ChannelSigner
  readonly terms: PaymentTerms
  /** Pays what the channel does not. */
  readonly exact: PaymentScheme
  /** How many calls to a payee are paid by `exact` before a channel is opened. */
  readonly after: number
  /** What to deposit; by default what the server asks for, up to `maxDeposit`. */
  readonly deposit: Usdc | undefined
  readonly maxDeposit: Usdc
  /** Asks the server what the calls of the channel cost. */
  readonly refresh: (channel: OpenChannel) => Promise<void>
  readonly now: () => number
  readonly onUnused: (unused: ChannelUnused) => void
}

/** How long calls are paid by `exact` after the server has refused the channel. */
const pauseMs = 60_000

/** How long to wait for the reason of a refusal. */
const messageMs = 2_000

/**
 * Pays from payment channels (`batch-settlement`): a deposit, then a signed promise for each call.
 * A voucher that does not continue from the channel's current sum is signed again once; a call that
 * the channel cannot pay is paid by `exact`.
 */
export function createChannelScheme(options: ChannelSchemeOptions): PaymentScheme {
  const reported = new Set<ChannelUnused['reason']>()
  return async function payFromChannel(challenge, callCap, signal) {
    const payment = await payCall(options, { challenge, callCap, signal, isLast: false })
    return reporting(payment, { reported, onUnused: options.onUnused })
  }
}

type Reporting = Pick<ChannelSchemeOptions, 'onUnused'> & {
  readonly reported: Set<ChannelUnused['reason']>
}

/** Reports why a channel does not pay, once for each reason until it pays again. */
function reporting(payment: SignedPayment, report: Reporting): SignedPayment {
  const { reported, onUnused } = report
  const { channelUnused } = payment
  if (channelUnused !== undefined && !reported.has(channelUnused.reason)) {
    reported.add(channelUnused.reason)
    onUnused(channelUnused)
  }
  return {
    ...payment,
    async conclude(decision) {
      const next = await payment.conclude(decision)
      if (next !== undefined) return reporting(next, report)
      if (payment.isFromChannel === true) reported.clear()
      return undefined
    },
  }
}

type Attempt = {
  readonly challenge: Headers
  readonly callCap: Usdc
  readonly signal: AbortSignal
  /** The voucher was corrected before. */
  readonly isLast: boolean
  /** The sum that the correction continues at. */
  readonly next?: bigint | undefined
}

async function payCall(options: ChannelSchemeOptions, attempt: Attempt): Promise<SignedPayment> {
  const { challenge, callCap, signal } = attempt
  const offer = chooseChannelOffer(challenge, options.terms)
  if (offer === undefined || offer.amount > callCap) {
    return { ...(await options.exact(challenge, callCap, signal)), channelUnused: notOffered }
  }
  const channel = await options.channels.of(offer)
  const call = { ...attempt, offer, channel }
  const outcome = await fromChannel(options, call)
  return outcome.payment ?? (await byExact(options, call, outcome.unused))
}

type ChannelCall = Attempt & { readonly offer: ChannelOffer; readonly channel: OpenChannel }

async function byExact(
  { exact }: ChannelSchemeOptions,
  { challenge, callCap, signal, channel }: ChannelCall,
  channelUnused?: ChannelUnused,
): Promise<SignedPayment> {
  const payment = await exact(challenge, callCap, signal)
  channel.exactCalls += 1
  return channelUnused === undefined ? payment : { ...payment, channelUnused }
}

type ChannelOutcome =
  | { readonly payment: SignedPayment; readonly unused?: undefined }
  /** Why the channel does not pay; `undefined` before one is opened. */
  | { readonly payment?: undefined; readonly unused: ChannelUnused | undefined }

async function fromChannel(
  options: ChannelSchemeOptions,
  call: ChannelCall,
): Promise<ChannelOutcome> {
  const { channel, offer } = call
  const { book } = channel
  const release = await channel.takeTurn(call.signal)
  let isDepositing = false
  try {
    if (options.now() < channel.pausedUntil) return { unused: channel.pausedBy }
    await channel.saved()
    const { next } = call
    const isNew = book.balance() === 0n
    // A sum that the server states does not count ended calls at their ceilings.
    const isCovered = next !== undefined && next + offer.amount <= book.balance()
    if (!isNew && !isCovered && !book.covers(offer.amount)) await options.refresh(channel)
    if (isCovered || book.covers(offer.amount)) {
      return (await channel.count())
        ? { payment: await payByVoucher(options, call) }
        : { unused: capsExceeded(0n) }
    }
    if (isNew && channel.exactCalls < options.after) return { unused: undefined }
    const deposit = depositFor(options, call)
    if (typeof deposit !== 'bigint') return { unused: deposit }
    if (!(await channel.count(deposit))) return { unused: capsExceeded(deposit) }
    const payment = await payByDeposit(options, call, { deposit, release })
    isDepositing = true
    return { payment }
  } finally {
    if (!isDepositing) release()
  }
}

function depositFor(
  { deposit, maxDeposit }: ChannelSchemeOptions,
  { channel, offer }: ChannelCall,
): Usdc | ChannelUnused {
  const lacks = atomicUsdc(channel.book.lacks(offer.amount))
  if (deposit !== undefined) return greatest(deposit, lacks)
  const asked = greatest(offer.minDeposit ?? times(offer.amount, 5n), lacks)
  const amount = least(asked, maxDeposit)
  return amount < lacks ? depositAboveLimit(lacks, maxDeposit) : amount
}

async function payByVoucher(
  options: ChannelSchemeOptions,
  call: ChannelCall,
): Promise<SignedPayment> {
  const { channel, offer, signal, next } = call
  const hold = channel.book.hold(offer.amount, next)
  const header = await signVoucher(options.sign, { channel, offer, hold, signal })
  return {
    header,
    reservation: reservationOf(channel, hold),
    isFromChannel: true,
    async conclude(decision) {
      if (decision.response.status === 402) {
        hold.end(0n)
        return await payInstead(options, call, decision.response)
      }
      await bookCall(hold, decision)
      channel.save()
      return undefined
    },
    // As if the call had been served at its price, until the server states the cost of its calls.
    abandon() {
      hold.end(hold.ceiling)
      channel.save()
    },
    discard: async () => hold.end(0n),
  }
}

type Deposit = { readonly deposit: Usdc; readonly release: () => void }

/** Other calls of the channel wait until the outcome of the deposit is known. */
async function payByDeposit(
  options: ChannelSchemeOptions,
  call: ChannelCall,
  { deposit, release }: Deposit,
): Promise<SignedPayment> {
  const { channel, offer, signal } = call
  const hold = channel.book.hold(offer.amount)
  const header = await signDeposit(options.sign, { channel, offer, hold, signal }, deposit)

  // One whose outcome is unknown stays counted.
  function end(outcome: DepositOutcome): void {
    if (outcome === 'made') channel.book.deposit(deposit)
    if (outcome === 'not_made') channel.giveBack(deposit)
    channel.save()
    release()
  }

  return {
    header,
    reservation: reservationOf(channel, hold),
    isFromChannel: true,
    async conclude(decision) {
      const { response } = decision
      if (response.status === 402) {
        hold.end(0n)
        end(depositOutcome(decision))
        return await payInstead(options, call, response)
      }
      await bookCall(hold, decision)
      end(depositOutcome(decision))
      return undefined
    },
    abandon() {
      hold.end(hold.ceiling)
      end('unknown')
    },
    async discard() {
      hold.end(0n)
      end('not_made')
    },
  }
}

type DepositOutcome = 'made' | 'not_made' | 'unknown'

/**
 * What the response shows. Unless it states a deposit, a 402 made none; a 400 or 429 made none either,
 * but an earlier attempt may have.
 */
function depositOutcome({ response, attempts }: Decision): DepositOutcome {
  if ((readChannelReceipt(response.headers)?.deposited ?? 0n) > 0n) return 'made'
  if (response.status === 402) return 'not_made'
  const isRefused = response.status === 400 || response.status === 429
  return isRefused && attempts === 1 ? 'not_made' : 'unknown'
}

/** Replaces a rejected voucher: by a corrected one, or by a payment by `exact`. */
async function payInstead(
  options: ChannelSchemeOptions,
  { channel, isLast, callCap, signal }: ChannelCall,
  response: Response,
): Promise<SignedPayment> {
  const challenge = response.headers
  const offer = chooseChannelOffer(challenge, options.terms)
  const isPriceOld = offer?.challenge.error === 'invalid_payment_requirements'
  const isCorrected = offer !== undefined && (isPriceOld || channel.adopt(offer))
  if (!isLast && isCorrected) {
    const next = isPriceOld ? undefined : offer.stated?.charged
    return await payCall(options, { challenge, callCap, signal, isLast: true, next })
  }
  channel.pausedUntil = options.now() + pauseMs
  channel.pausedBy = refusedBy((await messageOf(response)) ?? offer?.challenge.error)
  return { ...(await options.exact(challenge, callCap, signal)), channelUnused: channel.pausedBy }
}

/** The message of a refusal; `undefined` if its body does not arrive soon after its headers. */
async function messageOf(response: Response): Promise<string | undefined> {
  const waiting = new AbortController()
  const reading = readJson(response).catch(() => undefined)
  const late = pause(messageMs, waiting.signal)
  const body = await Promise.race([reading, late]).finally(() => waiting.abort())
  const message = isRecord(body) ? body['message'] : undefined
  return isText(message) && message !== '' ? message.slice(0, 1_000) : undefined
}

/** Books a call. Without a payment whose cost can be asked for, it counts at its price. */
async function bookCall(hold: CallHold, decision: Decision): Promise<void> {
  await bookStated(hold, decision)
  const isKnown = decision.response.headers.has('x-payment-id')
  if (hold.isOpen() && !isKnown) hold.end(hold.ceiling)
}

/** Books what the response states about the call. The cost of a stream follows at its end. */
async function bookStated(hold: CallHold, decision: Decision): Promise<void> {
  const { response } = decision
  const failed = await costOfFailure(decision)
  const receipt = readChannelReceipt(response.headers)
  if (failed !== undefined) return hold.end(failed)
  if (receipt === undefined || receipt.chargedAmount > hold.ceiling) return
  hold.report(receipt.chargedAmount, isEventStream(response) ? 'in_flight' : 'ended')
  const { cost } = receipt
  if (hold.isOpen() && cost !== undefined && cost <= hold.ceiling) hold.end(cost)
}

/** The part of the channel that is reserved for the call until its cost is known. */
function reservationOf(channel: OpenChannel, hold: CallHold): Reservation {
  return {
    amount: atomicUsdc(hold.ceiling),
    setCost(cost) {
      hold.end(cost)
      channel.save()
    },
    isOpen: hold.isOpen,
  }
}
