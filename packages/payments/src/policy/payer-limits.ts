import type { Authorization, Hex, LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { createOneAtATime } from '../scheduling/one-at-a-time.ts'
import { PaymentPolicyError } from './check-policy.ts'

/** The limits of one payer; null sets no limit. A payment under other values is not taken. */
export type PayerLimits = {
  /** Paid requests in any 60 seconds. */
  readonly requestsPerMinute: number | null
  /**
   * Per UTC day: costs, and the full payment while its cost is not fixed. A new payment counts with
   * its maximum, so that no day ends above the limit.
   */
  readonly spendPerDay: Usdc | null
}

export type BeyondLimit = {
  readonly status: 'beyond_limit'
  readonly limit: keyof PayerLimits
  readonly retryAfterSeconds: number
}

/** Counts the purchases of payers in the ledger, so that a restart resets no limit. */
export type PayerLimiter = {
  /**
   * Claims unless the payment exceeds a limit of its payer. Claims of one payer are judged one after
   * the other in this process; each other replica may claim one more at the same moment.
   */
  within<Claim>(
    authorization: Authorization,
    claim: () => Promise<Claim>,
  ): Promise<Claim | BeyondLimit>
}

export type PayerLimiterOptions = {
  readonly store: Pick<LedgerStore, 'payerSpending'>
  readonly clock: () => number
  readonly limitsOf: (payer: Hex) => PayerLimits
}

const minuteMs = 60_000
const dayMs = 86_400_000

export function createPayerLimiter({ store, clock, limitsOf }: PayerLimiterOptions): PayerLimiter {
  const payerTurn = createOneAtATime<string>()

  async function excess(
    payment: Authorization,
    { requestsPerMinute, spendPerDay }: PayerLimits,
  ): Promise<BeyondLimit | undefined> {
    const now = clock()
    const requestsSince = now - minuteMs
    const today = Math.floor(now / dayMs) * dayMs
    const bought = await store.payerSpending({
      payer: payment,
      requestsSince,
      spentSince: spendPerDay === null ? now : today,
    })
    if (spendPerDay !== null && bought.spent + payment.value > spendPerDay) {
      return beyond('spendPerDay', today + dayMs - now)
    }
    if (requestsPerMinute !== null && bought.requests >= requestsPerMinute) {
      return beyond('requestsPerMinute', (bought.firstRequestAt ?? now) - requestsSince)
    }
    return undefined
  }

  return {
    within: async (authorization, claim) => {
      const limits = limitsOf(authorization.from)
      checkLimits(limits)
      if (limits.requestsPerMinute === null && limits.spendPerDay === null) return await claim()
      return await payerTurn(
        authorization.from.toLowerCase(),
        async () => (await excess(authorization, limits)) ?? (await claim()),
      )
    },
  }
}

/** A limit that is misspelled, missing or of another type would have no effect. */
function checkLimits(limits: PayerLimits): void {
  const wrong = Object.keys(limits).find((name) => !Object.hasOwn(noPayerLimits, name))
  if (wrong !== undefined) throw new PaymentPolicyError(wrong, 'is not a limit of a payer')
  const { requestsPerMinute, spendPerDay } = limits
  if (
    requestsPerMinute !== null &&
    !(Number.isInteger(requestsPerMinute) && requestsPerMinute >= 0)
  ) {
    const problem = `must be a whole number or null, and is ${String(requestsPerMinute)}`
    throw new PaymentPolicyError('requestsPerMinute', problem)
  }
  if (spendPerDay !== null && !(typeof spendPerDay === 'bigint' && spendPerDay >= 0n)) {
    const problem = `must be a bigint of atomic units or null, and is ${String(spendPerDay)}`
    throw new PaymentPolicyError('spendPerDay', problem)
  }
}

function beyond(limit: keyof PayerLimits, waitMs: number): BeyondLimit {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return { status: 'beyond_limit', limit, retryAfterSeconds }
}

export const noPayerLimits: PayerLimits = { requestsPerMinute: null, spendPerDay: null }
