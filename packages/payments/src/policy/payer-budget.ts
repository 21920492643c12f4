import type { Hex, LedgerStore, PayerFault, PayerFaultCause, PaymentRecord } from '@farebox/ledger'
import { keccak256 } from 'viem'
import type { PaymentPolicy } from './payment-policy.ts'

/** A payer, and the code that decides about its signatures; null for a key. */
export type PayerIdentity = { readonly payer: Hex; readonly code: Hex | null }

/** Why a payer is refused for now, and until when, in milliseconds since 1970. */
export type BudgetRefusal = {
  readonly reason: 'payments_unserved' | 'settlements_reverted'
  readonly until: number
}

/**
 * Payments that ended unserved through their payer, each of which cost the operator gas, or what a provider
 * bills: a payer is refused after too many of them. They are counted in the ledger, so for all replicas together.
 * A failure of a provider or of this service never counts.
 */
export type PayerBudget = {
  /** Never rejects: what cannot be counted is reported. */
  count(fault: CountedFault): Promise<void>
  /** Whether any fault counts against the payer. */
  hasFaults(payer: Hex): Promise<boolean>
  /** Null when the payer may pay. */
  refusalOf(identity: PayerIdentity): Promise<BudgetRefusal | null>
}

export type CountedFault = {
  readonly payment: Pick<PaymentRecord, 'id' | 'authorization'>
  readonly cause: PayerFaultCause
  /** The code that decided about the payer's signature, if the fault counts against it too. */
  readonly code?: Hex | null
}

type Rules = Pick<
  PaymentPolicy,
  'payerFaultWindowMs' | 'faultsPerPayer' | 'revertsPerPayer' | 'revertsPerCode'
>

export type PayerBudgetOptions = {
  readonly store: Pick<LedgerStore, 'recordPayerFault' | 'payerFaults'>
  readonly policy: Rules
  readonly clock: () => number
  readonly onFault: (error: unknown) => void
}

export function createPayerBudget({
  store,
  policy,
  clock,
  onFault,
}: PayerBudgetOptions): PayerBudget {
  return {
    async count({ payment: { id: paymentId, authorization }, cause, code = null }) {
      const expiresAt = clock() + policy.payerFaultWindowMs
      try {
        for (const subject of subjectsOf({ payer: authorization.from, code })) {
          await store.recordPayerFault({ paymentId, subject, cause, expiresAt })
        }
      } catch (error) {
        onFault(error)
      }
    },
    hasFaults: async (subject) => (await store.payerFaults({ subject, now: clock() })).length > 0,
    async refusalOf(identity) {
      const now = clock()
      const [ofPayer = [], ofCode = []] = await Promise.all(
        subjectsOf(identity).map((subject) => store.payerFaults({ subject, now })),
      )
      const reverts = ofPayer.filter(isRevert)
      return latest([
        refusal('payments_unserved', ofPayer, policy.faultsPerPayer),
        refusal('settlements_reverted', reverts, policy.revertsPerPayer),
        refusal('settlements_reverted', ofCode, policy.revertsPerCode),
      ])
    },
  }
}

/** The payer first. */
function subjectsOf({ payer, code }: PayerIdentity): readonly string[] {
  return code === null ? [payer] : [payer, keccak256(code)]
}

function isRevert({ cause }: PayerFault): boolean {
  return cause === 'settlement_reverted'
}

/** Ends when enough faults have expired to allow one more. */
function refusal(
  reason: BudgetRefusal['reason'],
  latestFirst: readonly PayerFault[],
  allowed: number,
): BudgetRefusal | null {
  const until = latestFirst[allowed - 1]?.expiresAt
  return until === undefined ? null : { reason, until }
}

function latest(refusals: readonly (BudgetRefusal | null)[]): BudgetRefusal | null {
  return refusals.reduce((last, next) => {
    if (last === null || next === null) return last ?? next
    return next.until > last.until ? next : last
  })
}
