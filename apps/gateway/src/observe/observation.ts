import type { PaymentRecord } from '@farebox/ledger'
import type { Config } from '../settings.ts'

/**
 * What a paid request spends its time on, in this order. `check` ends when the signature is known to
 * be genuine, `payer` when the payer's balance is known, `admit` when the claim is durable,
 * `settle` when the transfer is proven, and `begin` when that is durable; `upstream` ends with the
 * provider's first byte, `relay` with its last, and `bill` when the payment is recorded as completed.
 */
export type Phase =
  | 'quote'
  | 'check'
  | 'payer'
  | 'admit'
  | 'settle'
  | 'begin'
  | 'upstream'
  | 'relay'
  | 'bill'

/** A phase that ended; times are in ms since 1970. */
export type EndedPhase = { readonly phase: Phase; readonly from: number; readonly until: number }

/** What a request was about, without its prompt, completion and signature. */
export type RequestFacts = {
  /** The model that was priced, or that served. */
  readonly model?: string
  /** The model that was asked for, where another one served. */
  readonly requestedModel?: string
  /** The provider that served it. */
  readonly provider?: string
  /** How the last provider that failed did, in the gateway's own words. */
  readonly providerFailure?: string
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** What was billed to the free quota, in USDC as decimal text. */
  readonly freeUsdc?: string
}

/** Measures one request and collects its facts, for its log line and its trace. */
export type Observation = {
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Ends a phase, which began where the one before it ended. */
  endPhase(phase: Phase): void
  /** Adds facts; later ones replace earlier ones. */
  note(facts: RequestFacts): void
  readonly facts: () => RequestFacts
  /** Sets the payment that the request presents; a later state replaces an earlier one. */
  setPayment(payment: PaymentRecord): void
  readonly payment: () => PaymentRecord | undefined
  readonly phases: () => readonly EndedPhase[]
  /** On the devnet `Server-Timing`, with the durations of the phases in milliseconds. */
  readonly headers: () => Readonly<Record<string, string>>
}

export type ObservationOptions = {
  readonly requestId: string
  readonly network: Config['NETWORK']
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number
  readonly onPayment?: ((payment: PaymentRecord) => void) | undefined
}

/** Begins to observe one request. */
export function createObservation(options: ObservationOptions): Observation {
  const { requestId, network, now, onPayment } = options
  const startedAt = now()
  const phases: EndedPhase[] = []
  let facts: RequestFacts = {}
  let presented: PaymentRecord | undefined
  return {
    requestId,
    startedAt,
    endPhase: (phase) => {
      phases.push({ phase, from: phases.at(-1)?.until ?? startedAt, until: now() })
    },
    note: (more) => {
      facts = { ...facts, ...more }
    },
    facts: () => facts,
    setPayment: (payment) => {
      presented = payment
      onPayment?.(payment)
    },
    payment: () => presented,
    phases: () => phases,
    headers: () => (network === 'devnet' ? { 'Server-Timing': durations(phases) } : {}),
  }
}

function durations(phases: readonly EndedPhase[]): string {
  return phases
    .map(({ phase, from, until }) => `${phase};dur=${(until - from).toFixed(1)}`)
    .join(', ')
}
