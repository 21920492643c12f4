import { authorizationText } from './claim-payment.ts'
import { isUnfinished } from './is-unfinished.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { LedgerError } from './ledger-error.ts'
import type { StoredAnswer } from './ledger-store.ts'
import { isAccruing, type PaymentChange } from './payment-change.ts'
import type { PaymentId, PaymentRecord, TransferProof } from './payment-record.ts'
import type { Payout } from './payout.ts'

/** Everything that is durable, at one moment. */
export type MemorySnapshot = {
  readonly payments: readonly PaymentRecord[]
  readonly entries: readonly LedgerEntry[]
  readonly payouts: readonly Payout[]
  readonly answers: readonly (readonly [PaymentId, StoredAnswer])[]
}

/**
 * What outlives a crash of the stores that share it: the database of a simulation. Each commit is
 * whole or nothing.
 */
export type MemoryDisk = {
  readonly payments: ReadonlyMap<PaymentId, PaymentRecord>
  readonly entries: ReadonlyMap<PaymentId, readonly LedgerEntry[]>
  readonly payouts: ReadonlyMap<string, Payout>
  readonly answers: ReadonlyMap<PaymentId, StoredAnswer>
  readonly unfinished: ReadonlySet<PaymentId>
  readonly accruing: ReadonlySet<PaymentId>
  /** By `authorizationText`. */
  readonly claims: ReadonlyMap<string, PaymentId>
  commit(writes: MemoryWrites): void
  snapshot(): MemorySnapshot
  /** Goes back to a snapshot, as a restored backup does. */
  restore(snapshot: MemorySnapshot): void
}

export type MemoryWrites = {
  readonly changes?: readonly Pick<PaymentChange, 'payment' | 'entries'>[]
  readonly payouts?: readonly Payout[]
  readonly answer?: readonly [PaymentId, StoredAnswer]
  readonly forgetAnswers?: readonly PaymentId[]
}

export function createMemoryDisk(): MemoryDisk {
  const payments = new Map<PaymentId, PaymentRecord>()
  const entries = new Map<PaymentId, readonly LedgerEntry[]>()
  const payouts = new Map<string, Payout>()
  const answers = new Map<PaymentId, StoredAnswer>()
  const unfinished = new Set<PaymentId>()
  const accruing = new Set<PaymentId>()
  const claims = new Map<string, PaymentId>()
  const proofs = new Map<string, string>()

  const checkProof = (proof: TransferProof | null, owner: string): void => {
    const other = proof === null ? undefined : proofs.get(proofText(proof))
    if (other === undefined || other === owner) return
    throw new LedgerError('proof_used', `${owner} cannot be proven by the transfer of ${other}`)
  }
  const keepProof = (before: TransferProof | null, after: TransferProof | null, owner: string) => {
    if (before !== null) proofs.delete(proofText(before))
    if (after !== null) proofs.set(proofText(after), owner)
  }
  const putPayment = (payment: PaymentRecord): void => {
    keepProof(payments.get(payment.id)?.settlement ?? null, payment.settlement, payment.id)
    payments.set(payment.id, payment)
    claims.set(authorizationText(payment.authorization), payment.id)
    keepIf(unfinished, payment.id, () => isUnfinished(payment))
    keepIf(accruing, payment.id, () => isAccruing(payment))
  }
  const putPayout = (payout: Payout): void => {
    keepProof(payouts.get(payout.nonce)?.proof ?? null, payout.proof, payout.nonce)
    payouts.set(payout.nonce, payout)
  }
  const commit = ({
    changes = [],
    payouts: changed = [],
    answer,
    forgetAnswers = [],
  }: MemoryWrites) => {
    for (const { payment } of changes) checkProof(payment.settlement, payment.id)
    for (const payout of changed) checkProof(payout.proof, payout.nonce)
    for (const change of changes) {
      putPayment(change.payment)
      const known = entries.get(change.payment.id) ?? []
      entries.set(change.payment.id, [...known, ...change.entries])
    }
    changed.forEach(putPayout)
    if (answer !== undefined) answers.set(...answer)
    for (const id of forgetAnswers) answers.delete(id)
  }

  return {
    payments,
    entries,
    payouts,
    answers,
    unfinished,
    accruing,
    claims,
    commit,
    snapshot: () => ({
      payments: [...payments.values()],
      entries: [...entries.values()].flat(),
      payouts: [...payouts.values()],
      answers: [...answers],
    }),
    restore: (snapshot) => {
      for (const kept of [
        payments,
        entries,
        payouts,
        answers,
        unfinished,
        accruing,
        claims,
        proofs,
      ]) {
        kept.clear()
      }
      commit({
        changes: snapshot.payments.map((payment) => ({ payment, entries: [] })),
        payouts: snapshot.payouts,
      })
      for (const entry of snapshot.entries) {
        entries.set(entry.paymentId, [...(entries.get(entry.paymentId) ?? []), entry])
      }
      for (const [id, answer] of snapshot.answers) answers.set(id, answer)
    },
  }
}

function keepIf(set: Set<PaymentId>, id: PaymentId, belongs: () => boolean): void {
  if (belongs()) set.add(id)
  else set.delete(id)
}

function proofText({ transaction, logIndex }: TransferProof): string {
  return `${transaction}#${logIndex}`
}
