import type { ErrorCode } from '@farebox/api'
import type { ErrorResponse, JsonBody } from '@farebox/http'
import type { PaymentRecord } from '@farebox/ledger'
import type { Offer, ResponseHeaders } from '@farebox/payments'
import type { Response } from 'express'

/** What a paid route sells: how a request is priced, and how it is served once it is paid. */
export type PaidEndpoint<Sale> = {
  readonly path: string
  readonly description: string
  readonly mimeType: string
  /** Parses and prices. A request without a body is priced as the plainest one there is. */
  quote(body: JsonBody, signal: AbortSignal): Promise<Priced<Sale>>
  /** Why the sale cannot be served just now; asked before any money moves. */
  unavailable(sale: Sale): RouteError | undefined
  /**
   * Serves a settled payment, fixes its cost and ends the response. A failing provider is an
   * outcome; only a fault of our own throws.
   */
  serve(sale: Sale, served: Served): Promise<void>
  /** An error of the route in the endpoint's own shape. */
  errorAnswer(error: RouteError): ErrorResponse
}

export type Priced<Sale> =
  | {
      readonly status: 'priced'
      readonly sale: Sale
      /** The current price first, then earlier ones that are still honoured. */
      readonly offers: readonly [Offer, ...Offer[]]
      /** SHA-256 of the canonical request, hexadecimal. */
      readonly digest: string
      /** The quote, as the 402 shows it. */
      readonly challenge: Readonly<Record<string, unknown>>
    }
  | { readonly status: 'refused'; readonly answer: ErrorResponse }

export type Served = {
  /** In state `serving`. */
  readonly payment: PaymentRecord
  readonly response: Response
  /** The receipt and the payment's id. */
  readonly headers: ResponseHeaders
  /** Fires when the client is gone, or with `giveUp`. */
  readonly signal: AbortSignal
  /** Fires when the gateway has to stop at once. */
  readonly giveUp: AbortSignal
}

export type RouteError = {
  readonly status: ErrorResponse['status']
  readonly code: ErrorCode
  readonly message: string
  readonly param?: string | null
  readonly headers?: Readonly<Record<string, string>>
}
