import type { ErrorCode } from '@farebox/api'
import type { ErrorResponse, JsonBody } from '@farebox/http'
import type { Authorization, PaymentRecord, RecordedUsage } from '@farebox/ledger'
import type { Usd, Usdc } from '@farebox/money'
import type { Offer } from '@farebox/payments'
import type { UpstreamError } from '@farebox/provider-proxy'
import type { WireReply } from '@farebox/wires'
import type { Response } from 'express'
import type { Observation } from '../observe/observation.ts'
import type { Ending } from './ending.ts'

/** What a paid route sells: how a request is priced, served and billed. */
export type PaidEndpoint<Sale, Delivery> = {
  readonly path: string
  readonly description: string
  readonly mimeType: string
  /** A field that every request has: the error for a payment without a body names it. */
  readonly requiredField: string
  /**
   * Parses and prices. A request without a body only asks for the price: it is priced as the simplest
   * valid one, and never sold.
   */
  quote(body: JsonBody, signal: AbortSignal): Promise<Priced<Sale>>
  /** Why the sale cannot be served right now; checked before any money moves. */
  unavailable(sale: Sale): EndpointError | undefined
  /**
   * Calls the provider and relays what it delivers, except for the end of the response. A provider
   * that fails is an outcome; only a fault of the gateway throws.
   */
  complete(sale: Sale, call: ServedCall): Promise<Completed<Delivery>>
  /** Turns usage into the cost, and with it into the end of the response. */
  bill(sale: Sale, delivery: Delivery): Promise<Bill>
  /** An error in the shape of the endpoint. */
  errorResponse(error: EndpointError): ErrorResponse
}

export type Priced<Sale> =
  | {
      readonly status: 'priced'
      readonly sale: Sale
      /** The current price first, then earlier ones that are still honored. */
      readonly offers: readonly [Offer, ...Offer[]]
      /** SHA-256 of the canonical request, hexadecimal. */
      readonly digest: string
      /** The quote, as the 402 shows it. */
      readonly challenge: Readonly<Record<string, unknown>>
    }
  | { readonly status: 'refused'; readonly error: ErrorResponse }

/** At what price a call was sold: a payment record has these, and so has a call of the free quota. */
export type SaleTerms = Pick<PaymentRecord, 'kind' | 'priceVersion'> & {
  readonly authorization: Pick<Authorization, 'value'>
}

/** A call that is being served, and the client that waits for it. */
export type ServedCall = {
  readonly payment: SaleTerms
  readonly response: Response
  /** Aborts when the client disconnects, or with `giveUp`. */
  readonly signal: AbortSignal
  /** Aborts when the gateway has to stop at once. */
  readonly giveUp: AbortSignal
  /** Ends `upstream` with the provider's first byte. */
  readonly observation: Observation
  /**
   * Present when the call overlaps with the settlement: nothing may be written to the response before
   * it resolves, and nothing at all when it rejects. The payment is proven or preconfirmed then.
   */
  readonly released?: Promise<void>
  /** Writes a completion as the client's interface has it; absent for chat completions. */
  readonly reply?: WireReply
}

/** A payment that is being served. The headers of its response carry the receipt and its id. */
export type PaidCall = ServedCall & {
  /** In state `serving`, or settling while `released` is pending. */
  readonly payment: PaymentRecord
}

export type Completed<Delivery> =
  | { readonly status: 'delivered'; readonly delivery: Delivery }
  /** The provider failed before the first byte: the payment is refunded in full. */
  | { readonly status: 'failed'; readonly error: UpstreamError }

export type Bill = {
  /** The model that served: a fallback may have. */
  readonly model: string
  /** At most what was paid. */
  readonly cost: Usdc
  readonly usage: RecordedUsage
  /** What the provider bills, where that is known, however much was paid. */
  readonly upstream: Usd | undefined
  readonly ending: Ending
  /** The client left before it had to pay for what the provider may bill, or may have made it silent. */
  readonly faultOf?: 'payer' | undefined
  /** What the provider may bill beyond what the payer was charged, although it reported nothing. */
  readonly unpaidCost?: Usdc | undefined
}

export type EndpointError = {
  readonly status: ErrorResponse['status']
  readonly code: ErrorCode
  readonly message: string
  readonly param?: string | null
  readonly headers?: Readonly<Record<string, string>>
}
