import type { Hex, PaymentRecord, StoredAnswer } from '@farebox/ledger'
import {
  type ChannelState,
  type ChannelTerms,
  channelRequirements,
} from '../channel/channel-requirements.ts'
import type { BeyondLimit } from '../policy/payer-limits.ts'
import type { NoRoom } from '../policy/revert-risk.ts'
import { rejectionText } from '../signature/rejection-text.ts'
import { type PaymentRequiredOptions, paymentRequired } from '../wire/payment-required.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'
import { claimedHeaders, receiptHeaders } from '../wire/receipt-headers.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import type { Refusal } from './check-payer.ts'
import type {
  Admission,
  AdmissionRequest,
  PendingAdmission,
  Preconfirmed,
  ResponseHeaders,
} from './payment-gate.ts'

export type Admissions = {
  /** 402 with the current price; with a reason when a payment was presented. */
  required(request: AdmissionRequest, reason?: string): Admission
  rejected(request: AdmissionRequest, reason: string): Admission
  /**
   * 402 with the reason why the payer cannot pay now, and the receipt of a deposit that was made
   * anyway.
   */
  refused(request: AdmissionRequest, refusal: Refusal, receipt?: ResponseHeaders): Admission
  /** 402 with what is wrong with the payment header. */
  unreadable(request: AdmissionRequest, problem: string): Admission
  /** 402 with the state of the client's channel, if known: it signs another voucher. */
  corrected(request: AdmissionRequest, state?: ChannelState): Admission
  settled(payment: PaymentRecord, protocol: 1 | 2): Admission
  preconfirmed(payment: PaymentRecord, transaction: Hex, protocol: 1 | 2): Preconfirmed
  replayed(payment: PaymentRecord, answer: StoredAnswer, protocol: 1 | 2): Admission
  inFlight(payment: PaymentRecord): PendingAdmission
  unknown(payment: PaymentRecord): PendingAdmission
  used(payment: PaymentRecord): Admission
  reused(payment: PaymentRecord): Admission
  unavailable(reason: string): Admission
  /** The payer has reached a limit. */
  limited(payer: Hex, beyond: BeyondLimit): Admission
  /** The payer's other payments in flight may use up its balance. */
  balanceInUse(payment: Pick<SignedPayment, 'authorization'>): Admission
  /** The gas limit of payers with code is used up for now. */
  withoutRoom(request: AdmissionRequest, found: NoRoom): Admission
}

const inFlightRetrySeconds = 2
const unknownRetrySeconds = 5
const unavailableRetrySeconds = 5

/** Creates the admissions of a gate, each with the headers that its response carries. */
export function createAdmissions(terms: PaymentTerms, channels?: ChannelTerms): Admissions {
  const schemes = { terms, channels }
  return {
    required: (request, reason) => required(schemes, request, reason),
    rejected: (request, reason) => rejected(schemes, request, { reason }),
    refused: (request, refusal, receipt) => rejected(schemes, request, { ...refusal, receipt }),
    unreadable: (request, problem) => ({
      status: 'rejected',
      reason: 'invalid_payment',
      ...challenge(schemes, request, {
        message: `The payment cannot be read (${problem}) and will not be used.`,
        reason: `invalid_payment (${problem})`,
      }),
    }),
    corrected: (request, state) => corrected(schemes, request, state),
    settled: (payment, protocol) => ({
      status: 'settled',
      payment,
      headers: receipt(terms, payment, protocol),
    }),
    preconfirmed: (payment, transaction, protocol) => ({
      transaction,
      headers: receipt(terms, { ...payment, settlement: { transaction } }, protocol),
    }),
    replayed: (payment, answer, protocol) => ({
      status: 'replayed',
      payment,
      answer,
      headers: receipt(terms, payment, protocol),
    }),
    inFlight: (payment) => pending(payment, 'payment_in_flight', inFlightRetrySeconds),
    unknown: unknownAdmission,
    used: (payment) => ({
      status: 'spent',
      payment,
      code: 'authorization_used',
      headers: claimedHeaders(payment.id),
    }),
    // The authorization is public, so it does not give away the payment's id.
    reused: (payment) => ({
      status: 'spent',
      payment,
      code: 'authorization_reused',
      headers: { 'x-should-retry': 'false' },
    }),
    unavailable: (reason) => ({
      status: 'unavailable',
      code: 'payments_unavailable',
      retryAfterSeconds: unavailableRetrySeconds,
      message: 'Payments cannot be taken right now. This request moved no money. Repeat it.',
      reason,
    }),
    limited,
    balanceInUse,
    withoutRoom: (request, found) => withoutRoom(schemes, request, found),
  }
}

const limitTexts: Readonly<Record<BeyondLimit['limit'], string>> = {
  requestsPerMinute: 'has reached its limit of paid requests per minute',
  spendPerDay: 'would exceed its spending limit of the day, which ends at 00:00 UTC',
}

function limited(payer: Hex, { limit, retryAfterSeconds }: BeyondLimit): Admission {
  return {
    status: 'limited',
    code: 'payer_limit_reached',
    retryAfterSeconds,
    message: `${payer} ${limitTexts[limit]}. No money moved. Repeat the request after Retry-After.`,
  }
}

/** Clients correct themselves by the reason alone, so nothing is added to it. */
function corrected(schemes: Schemes, request: AdmissionRequest, state?: ChannelState): Admission {
  const message =
    'The voucher does not continue from the current sum of its channel. Sign another one.'
  const reason = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'
  return { status: 'rejected', reason, ...challenge(schemes, request, { message, reason, state }) }
}

function balanceInUse({ authorization: { from } }: SignedPayment): Admission {
  return {
    status: 'unavailable',
    code: 'balance_in_use',
    retryAfterSeconds: inFlightRetrySeconds,
    message: `Other payments of ${from} are in flight and may use up its balance. No money moved. Repeat the request after Retry-After.`,
    reason: 'balance_in_use',
  }
}

function withoutRoom(schemes: Schemes, request: AdmissionRequest, found: NoRoom): Admission {
  return found.status === 'in_use'
    ? walletsInUse
    : rejected(schemes, request, walletsRefused(found))
}

const walletsInUse: Admission = {
  status: 'unavailable',
  code: 'payments_unavailable',
  retryAfterSeconds: inFlightRetrySeconds,
  message:
    'Too many payments of contract wallets are in flight. No money moved. Repeat the request after Retry-After.',
  reason: 'wallets_in_flight',
}

const walletFaults = {
  reverts: 'reverted on the chain',
  gas: 'used more gas than their calls paid for',
} as const

function walletsRefused({
  by,
  of,
  until,
}: Extract<NoRoom, { readonly status: 'used_up' }>): Refusal {
  const whose = of === 'all' ? 'contract wallets' : 'contract wallets from this network address'
  const time = new Date(until).toISOString()
  return {
    reason: 'payer_refused',
    message: `Too many settlements of ${whose} ${walletFaults[by]}. Such payments are refused until ${time}; this payment will not be used. Pay from an account without code.`,
  }
}

/** The terms of `exact`, and those of channels if they are on. */
type Schemes = { readonly terms: PaymentTerms; readonly channels: ChannelTerms | undefined }

function rejected(
  schemes: Schemes,
  request: AdmissionRequest,
  refusal: Refusal & { readonly receipt?: ResponseHeaders | undefined },
): Admission {
  const { reason, message, receipt } = refusal
  const text =
    message ??
    explained(schemes, request, {
      text: `The payment was refused (${reason}) and will not be used.`,
      reason,
    })
  const shown = message === undefined ? reason : `${reason}: ${message}`
  const { body, headers } = challenge(schemes, request, { message: text, reason: shown })
  return { status: 'rejected', reason, body, headers: { ...headers, ...receipt } }
}

function required(schemes: Schemes, request: AdmissionRequest, reason?: string): Admission {
  // A reason and the extensions together could exceed what proxies accept in a header.
  const parts =
    reason === undefined
      ? { extensions: request.extensions }
      : { reason, message: mismatchText(schemes, request, reason) }
  return { status: 'required', reason, ...challenge(schemes, request, parts) }
}

function mismatchText(schemes: Schemes, request: AdmissionRequest, reason: string): string {
  const text = `The payment does not fit this request (${reason}). No money moved.`
  return explained(schemes, request, { text, reason })
}

/** Adds what to change, for codes with a known fix. */
function explained(
  { terms }: Schemes,
  { offers: [{ amount }] }: AdmissionRequest,
  { text, reason }: { readonly text: string; readonly reason: string },
): string {
  const fix = rejectionText(reason, { ...terms, amount })
  return fix === undefined ? text : `${text} ${fix}`
}

type ChallengeParts = Partial<
  Pick<PaymentRequiredOptions, 'message' | 'reason' | 'extensions'> & {
    readonly state: ChannelState | undefined
  }
>

function challenge(
  { terms, channels }: Schemes,
  request: AdmissionRequest,
  { message, reason, extensions, state }: ChallengeParts,
): ReturnType<typeof paymentRequired> {
  const [{ amount, channelAmount = amount }] = request.offers
  return paymentRequired({
    ...terms,
    ...(channels && { alternative: channelRequirements(channels, channelAmount, state) }),
    resource: request.resource,
    amount,
    challenge: request.challenge,
    message: message ?? messageOf(request),
    reason,
    extensions,
  })
}

/** A caller may describe what it sells in its challenge; the price alone is enough. */
function messageOf({ challenge: { message } }: AdmissionRequest): string {
  return typeof message === 'string' ? message : 'Pay to use this resource.'
}

type SettledPayment = Pick<PaymentRecord, 'id' | 'authorization'> & {
  readonly settlement: { readonly transaction: Hex } | null
}

function receipt(
  { network }: PaymentTerms,
  { id, authorization, settlement }: SettledPayment,
  protocol: 1 | 2,
): Readonly<Record<string, string>> {
  return receiptHeaders({
    protocol,
    network,
    payer: authorization.from,
    transaction: settlement?.transaction ?? null,
    amount: authorization.value,
    paymentId: id,
  })
}

/** 503 with the id of a payment that moved money, or may have. */
export function unknownAdmission(payment: PaymentRecord): PendingAdmission {
  return pending(payment, 'settlement_unknown', unknownRetrySeconds)
}

function pending(
  payment: PaymentRecord,
  code: PendingAdmission['code'],
  retryAfterSeconds: number,
): PendingAdmission {
  const headers = { ...claimedHeaders(payment.id), 'Retry-After': `${retryAfterSeconds}` }
  return { status: 'pending', payment, code, retryAfterSeconds, headers }
}
