import type { Hex, PaymentId, PaymentRecord } from '@farebox/ledger'
import { sum } from '@farebox/money'
import { authorizationKey } from './invariant-checker.ts'

/** What one process may lose, in units of the token. */
export const risks = { perPayer: 20_000n, inAll: 100_000n }

type Stake = { readonly payer: Hex; readonly value: bigint }

/**
 * Observes one process: bytes of a service leave with its proof, or with a receipt that its node has
 * shown while a risk is held for it. What left without a proof in the end counts until the run ends.
 */
export type ReleaseChecker = {
  onStart(payment: PaymentRecord): void
  onRelease(payment: PaymentRecord): void
  onAdmitted(payment: PaymentRecord): void
  /** It was admitted otherwise, or not at all. */
  onLost(): void
}

export function createReleaseChecker(options: {
  /** Authorizations whose transfers the node has shown, by process. */
  readonly shown: ReadonlySet<string>
  readonly report: (violation: string) => void
}): () => ReleaseChecker {
  const { shown, report } = options
  const stakes = new Map<PaymentId, Stake>()
  const held = (payer?: Hex): bigint =>
    sum(
      [...stakes.values()]
        .filter((stake) => payer === undefined || stake.payer === payer)
        .map(({ value }) => value),
    )

  return function checkSale() {
    let started: PaymentId | undefined
    let state: 'held' | 'released' | 'ended' = 'held'
    return {
      onStart({ id }) {
        started = id
      },
      onRelease({ id, authorization }) {
        if (started !== id) report(`${id}: bytes left of a service for which no risk was taken`)
        if (state !== 'held') report(`${id}: bytes were released when it was ${state}`)
        if (!shown.has(authorizationKey(authorization))) {
          report(`${id}: bytes left although no receipt was shown`)
        }
        state = 'released'
        stakes.set(id, { payer: authorization.from, value: authorization.value })
        if (held() > risks.inAll || held(authorization.from) > risks.perPayer) {
          report(`${id}: bytes left for ${held()}, more than may be at risk`)
        }
      },
      onAdmitted({ id, kind, settlement }) {
        if (kind === 'sale' && settlement === null) report(`${id}: bytes leave without a proof`)
        state = 'ended'
        stakes.delete(id)
      },
      onLost() {
        state = 'ended'
      },
    }
  }
}
