import type { Hex, PaymentRecord, RecordedUsage, StoredAnswer } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'

/** One sale at one price. */
export type Offer = {
  readonly amount: Usdc
  /** The amount of a call paid from a channel, which needs no transaction; defaults to `amount`. */
  readonly channelAmount?: Usdc
  readonly model: string
  readonly priceVersion: string
}

/** The headers of a request that may carry a payment, by lower-case name. */
export type PaymentHeaders = {
  readonly 'payment-signature'?: string | undefined
  readonly 'x-payment'?: string | undefined
  /**
   * A secret text of the client: a payment made with it is recognized only together with it. The
   * authorization alone is public once it is on the chain.
   */
  readonly 'x-replay-secret'?: string | undefined
}

export type ResponseHeaders = Readonly<Record<string, string>>

/**
 * How far the admission of a transfer has come. `checked`: the signature is genuine. `solvent`: the
 * payer's balance is read. `claimed`: the claim is durable, and the settlement may be sent.
 * `proven`: the transfer is found in the chain's logs, and is about to be recorded.
 */
export type AdmissionStep = 'checked' | 'solvent' | 'claimed' | 'proven'

export type AdmissionRequest = {
  readonly headers: PaymentHeaders
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: string
  }
  /** The current price first, then earlier ones that a pending 402 may still have quoted. */
  readonly offers: readonly [Offer, ...Offer[]]
  /** SHA-256 of the canonical request, hexadecimal. */
  readonly requestDigest: string
  /** Why nothing new is sold right now. Earlier payments are still resumed and replayed. */
  readonly salesStoppedReason?: string | undefined
  /** Goes into the body of a 402 with the protocol's fields: the quote. */
  readonly challenge: Readonly<Record<string, unknown>>
  /**
   * Whether the client is still waiting. If it returns true, the service begins in the step that
   * records the proof; then the admitted payment is already `serving`, and `begin` writes nothing.
   * If it returns false, other calls of its channel do not wait for its corrected call.
   */
  readonly isWanted?: (() => boolean) | undefined
  /**
   * Called once the claim is durable, if the policy lets the service start before the settlement is
   * proven. Until `admit` resolves as `settled`, nothing of the service may leave this process; if it
   * resolves otherwise, abort the service: it is the operator's loss.
   */
  readonly startOverlapping?: ((payment: PaymentRecord) => void) | undefined
  /**
   * Called at most once, after `startOverlapping` and before `admit` resolves, if the policy releases
   * with preconfirmations and the node shows one: from now on bytes of the service may be sent, but not
   * its end. If `admit` does not resolve as `settled`, break off the response.
   */
  readonly onPreconfirmed?: ((shown: Preconfirmed) => void) | undefined
  /** Called when a new payment has reached a step: for measurements. */
  readonly onStep?: ((step: AdmissionStep) => void) | undefined
  /**
   * The network address of the client, one spelling for each: it limits what its payers can cost in
   * gas. Without it, only what all of them cost together is limited.
   */
  readonly clientAddress?: string | undefined
  /** The deposit itself is wanted: it is executed although the channel covers the call without it. */
  readonly isForDeposit?: true | undefined
  /** Extensions of x402 v2 for a 402 to a request without a payment, such as `bazaar`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** The transfer of a payment in the block that is being built, and the headers of its response. */
export type Preconfirmed = {
  /** The block that holds it comes later, and may hold another in its place. */
  readonly transaction: Hex
  readonly headers: ResponseHeaders
}

/** What the gate decides about a request. */
export type Admission =
  /**
   * 402: the payment is missing, does not fit or cannot be read. It was not claimed and will not be
   * used.
   */
  | {
      readonly status: 'required' | 'rejected'
      readonly body: Readonly<Record<string, unknown>>
      readonly headers: ResponseHeaders
      /** Why the payment was not accepted, as a stable code; absent without a payment. */
      readonly reason?: string | undefined
    }
  /**
   * The transfer is proven and nothing has been served for it yet: begin the service. While the
   * payment is `settled`, it may be abandoned instead. A channel's call is `serving` already: nothing
   * else may be written between its admission and its service.
   */
  | {
      readonly status: 'settled'
      readonly payment: PaymentRecord
      readonly headers: ResponseHeaders
    }
  /** Served before: the kept response is sent again. */
  | {
      readonly status: 'replayed'
      readonly payment: PaymentRecord
      readonly answer: StoredAnswer
      readonly headers: ResponseHeaders
    }
  | PendingAdmission
  /**
   * 503: no payment can be taken right now, or none of this payer, whose payments in flight may take
   * what it holds. Nothing was claimed or sent.
   */
  | {
      readonly status: 'unavailable'
      readonly code: 'payments_unavailable' | 'balance_in_use'
      readonly retryAfterSeconds: number
      readonly message: string
      readonly reason: string
    }
  /** 429: the payer has bought as much as it may for now. Nothing was claimed or sent. */
  | {
      readonly status: 'limited'
      readonly code: 'payer_limit_reached'
      readonly retryAfterSeconds: number
      readonly message: string
    }
  /** 400: this authorization has already paid for something. */
  | {
      readonly status: 'spent'
      readonly payment: PaymentRecord
      readonly code: 'authorization_used' | 'authorization_reused'
      readonly headers: ResponseHeaders
    }

/** 503: in flight elsewhere, or the outcome of the settlement is unknown. Repeat the request. */
export type PendingAdmission = {
  readonly status: 'pending'
  readonly payment: PaymentRecord
  readonly code: 'payment_in_flight' | 'settlement_unknown'
  readonly retryAfterSeconds: number
  readonly headers: ResponseHeaders
}

/** An admission that serves nothing: `admissionResponse` maps it to HTTP. */
export type NotAdmitted = Exclude<Admission, { readonly status: 'settled' }>

/** The cost and the response of a served request. */
export type ServedOutcome = {
  /** What served, where it may be another than the offer names. */
  readonly model?: string | undefined
  readonly cost: Usdc
  readonly usage: RecordedUsage | null
  /** What the provider bills, if that is known. */
  readonly providerCost?: Usdc | undefined
  readonly answer: KeptAnswer | null
  /** The client left without paying for what the provider may bill. It counts as in `ServiceFailure`. */
  readonly faultOf?: 'payer' | undefined
  /** What the provider may bill for it beyond `cost`: it counts against the network address in any case. */
  readonly unpaidCost?: Usdc | undefined
  /** The network address of the client, as `admit` took it. */
  readonly clientAddress?: string | undefined
}

/** A finished response to keep for the identical request: the gate decides for how long. */
export type KeptAnswer = Omit<StoredAnswer, 'expiresAt'>

/** The outcome of a payment whose service ended. */
export type ServiceEnd = {
  readonly payment: PaymentRecord
  /**
   * The receipt of a channel's call, with what it cost. It replaces that of the admission as long as
   * no header was sent; empty for any other payment.
   */
  readonly headers: ResponseHeaders
}

/** Why a service failed, as a stable code. */
export type ServiceFailure = {
  readonly reason: string
  readonly answer: KeptAnswer | null
  /**
   * The request itself was at fault, or its client disconnected before the service ended: it counts against
   * its payer and its network address.
   */
  readonly faultOf?: 'payer'
  /** What the provider may bill for it, if it may: it counts against the network address. */
  readonly unpaidCost?: Usdc | undefined
  /** The network address of the client, as `admit` took it. */
  readonly clientAddress?: string | undefined
}

/**
 * Why an admitted payment is not served. A client that disconnected and does not repeat its request
 * pays `abandonCharge`, and this counts against the payer and its network address.
 */
export type AbandonCause = 'client_left' | 'service_stopping'

/** Sells: admits a paid request once, and fixes what it cost. */
export type PaymentGate = {
  admit(request: AdmissionRequest): Promise<Admission>
  /**
   * Records that the upstream call is about to be made. `pending` if an identical request began
   * first, the payment was refunded in the meantime, or the ledger fails: then nothing may be served.
   */
  begin(
    payment: PaymentRecord,
  ): Promise<{ readonly status: 'begun'; readonly payment: PaymentRecord } | PendingAdmission>
  /** Fixes cost and refund, durably. The response may end only after this. */
  complete(payment: PaymentRecord, outcome: ServedOutcome): Promise<ServiceEnd>
  /** Refunds everything, durably. */
  fail(payment: PaymentRecord, failure: ServiceFailure): Promise<ServiceEnd>
  /**
   * Releases an admitted payment whose service has not begun: the identical request may resume it.
   * A channel's call costs nothing then, and its voucher can be used again. `clientAddress` is that
   * of the request.
   */
  abandon(payment: PaymentRecord, cause: AbandonCause, clientAddress?: string): Promise<void>
  /** Stops renewing leases. Services in flight may still be completed. */
  close(): void
}
