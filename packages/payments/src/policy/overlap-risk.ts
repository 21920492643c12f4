import type { Hex, PaymentRecord } from '@farebox/ledger'
import { atomicUsdc, sum, type Usdc } from '@farebox/money'
import type { PaymentPolicy } from './payment-policy.ts'

/** What one payment that is served before its proof may cost the operator. */
export type TakenRisk = {
  /** The payment settled or was not served. Has no effect after `lose`. */
  release(): void
  /** The payment did not settle: its amount counts for another `riskWindowMs`. */
  lose(): void
}

export type OverlapRisk = {
  /** Undefined if a limit would be exceeded: the payment is settled first. */
  take(authorization: Pick<PaymentRecord['authorization'], 'from' | 'value'>): TakenRisk | undefined
}

type Stake = { readonly payer: Hex; readonly value: Usdc; until: number }

/**
 * Limits what payments that are served before their proof can cost the operator, by payer and in
 * all, in this process. Losses count like payments in progress until the window ends, so that no
 * number of payers can take more than the limit within it.
 */
export function createOverlapRisk({
  policy: { maxRiskPerPayer, maxRiskTotal, riskWindowMs },
  clock,
}: {
  readonly policy: Pick<PaymentPolicy, 'maxRiskPerPayer' | 'maxRiskTotal' | 'riskWindowMs'>
  readonly clock: () => number
}): OverlapRisk {
  const stakes = new Set<Stake>()

  function held(payer?: Hex): Usdc {
    const counted = [...stakes].filter((stake) => payer === undefined || stake.payer === payer)
    return atomicUsdc(sum(counted.map(({ value }) => value)))
  }

  return {
    take({ from: payer, value }) {
      for (const stake of stakes) if (stake.until <= clock()) stakes.delete(stake)
      if (held(payer) + value > maxRiskPerPayer || held() + value > maxRiskTotal) return undefined
      const stake: Stake = { payer, value, until: Number.POSITIVE_INFINITY }
      stakes.add(stake)
      return {
        release: () => {
          if (stake.until === Number.POSITIVE_INFINITY) stakes.delete(stake)
        },
        lose: () => {
          stake.until = clock() + riskWindowMs
        },
      }
    },
  }
}
