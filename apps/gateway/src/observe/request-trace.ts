import type { PaymentRecord } from '@farebox/ledger'
import type { Request } from 'express'
import type { EndedPhase, RequestFacts } from './observation.ts'

/** Follows one request for traces and metrics. */
export type RequestTrace = {
  /** 32 hexadecimal digits; undefined if the request is not in a trace that is exported. */
  readonly traceId: string | undefined
  /** Joins what happens to the payment later, such as its refund. */
  join(payment: PaymentRecord): void
  end(request: EndedRequest): void
}

/** Begins to follow a request, at a time in ms since 1970. */
export type StartTrace = (request: Request, startedAt: number) => RequestTrace

/** A request whose response was closed, without its headers and bodies. */
export type EndedRequest = {
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** The path of the route with its parameters; undefined if no route matched. */
  readonly route: string | undefined
  readonly client: string
  readonly status: number
  /** Whether the response was a stream of events. */
  readonly streamed: boolean
  /** Whether the connection ended before the response. */
  readonly cut: boolean
  readonly startedAt: number
  readonly endedAt: number
  readonly phases: readonly EndedPhase[]
  readonly facts: RequestFacts
  readonly payment: PaymentRecord | undefined
}
