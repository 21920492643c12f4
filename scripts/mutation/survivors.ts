import { mostSimilar } from './most-similar.ts'
import type { Mutant } from './mutant.ts'

type Survivor = Pick<Mutant, 'file' | 'name'> & { readonly reason: string }

const payments = 'packages/payments/src'
const pricing = 'packages/pricing/src'
const ledger = 'packages/ledger/src'

/** Mutants that no test can notice, and why. */
export const survivors: readonly Survivor[] = [
  {
    file: `${pricing}/chat/price-usage.ts`,
    name: 'if (a ⟦< → <=⟧ b) return a',
    reason: 'The lesser of two equal numbers is either of them.',
  },
  {
    file: `${pricing}/image/image-cost.ts`,
    name: 'const begun = extra ⟦<= → <⟧ 0n ? 0n : (extra + megapixel - 1n) / megapixel',
    reason: 'Without extra pixels the division gives 0 too.',
  },
  {
    file: `${pricing}/image/image-cost.ts`,
    name: 'taken * minStepShare.denominator ⟦>= → >⟧ reference * minStepShare.numerator',
    reason: 'At the limit both shares are the same.',
  },
  {
    file: `${ledger}/book/ledger-position.ts`,
    name: 'const amount: bigint = refund?.amount ?? ⟦0n → 1n⟧',
    reason: 'The amount is used only where there is a refund.',
  },
  {
    file: `${ledger}/book/ledger-position.ts`,
    name: 'return { revenue: cost ?? ⟦0n → 1n⟧, returned: confirmed ? amount : 0n, owed: confirmed ? 0n : amount }',
    reason: 'A payment that ended has a cost.',
  },
  {
    file: `${payments}/gate/resume-payment.ts`,
    name: 'a rejected payment is presented as in flight',
    reason: 'Its status is admitted as a rejection a second time.',
  },
  {
    file: `${payments}/settlement/settle-payment.ts`,
    name: 'for (let wait = 50; ; wait = ⟦Math.min → Math.max⟧(wait * 2, 1_000)) {',
    reason: 'It changes only how often the chain is looked at until the deadline.',
  },
  {
    file: `${payments}/settlement/settle-payment.ts`,
    name: 'for (let wait = 50; ; wait = Math.min(wait ⟦* → +⟧ 2, 1_000)) {',
    reason: 'It changes only how often the chain is looked at until the deadline.',
  },
  {
    file: `${payments}/settlement/settle-payment.ts`,
    name: 'if (clock() + wait ⟦> → >=⟧ deadline) return verdict',
    reason: 'It changes only how often the chain is looked at until the deadline.',
  },
  {
    file: `${payments}/settlement/settle-payment.ts`,
    name: 'if (clock() ⟦+ → -⟧ wait > deadline) return verdict',
    reason: 'It changes only how often the chain is looked at until the deadline.',
  },
  {
    file: `${payments}/settlement/settle-payment.ts`,
    name: "const sent = ⟦outcome.status === 'settled' → !(outcome.status === 'settled')⟧ ? outcome.transaction : null",
    reason: 'The transaction is read, and has the mark of its sale.',
  },
  {
    file: `${payments}/settlement/settle-payment.ts`,
    name: "return ⟦outcome.status === 'rejected' → !(outcome.status === 'rejected')⟧ ? null : outcome.transaction",
    reason: 'Without the hint the transfer is found in the logs.',
  },
  {
    file: `${payments}/channel-gate/check-deposit.ts`,
    name: 'const needed = charged + reserved + ceiling - (deposited ⟦- → +⟧ returned)',
    reason: 'The call itself is checked a second time against what its channel still holds.',
  },
  {
    file: `${payments}/policy/unserved-budget.ts`,
    name: 'if (⟦own.counted.size === 0 → false⟧) byAddress.delete(clientAddress)',
    reason: 'An empty list counts nothing; it is only kept longer.',
  },
  {
    file: `${payments}/policy/unserved-budget.ts`,
    name: 'if (⟦clientAddress === undefined → false⟧) return',
    reason: 'The list of clients without an address is never read.',
  },
  {
    file: `${payments}/policy/unserved-budget.ts`,
    name: 'if (⟦clientAddress === undefined → false⟧) return (2)',
    reason: 'The list of clients without an address is never read.',
  },
  {
    file: `${payments}/policy/payer-budget.ts`,
    name: 'return next.until ⟦> → >=⟧ last.until ? next : last',
    reason: 'Of two refusals that end together either may be stated.',
  },
  {
    file: `${payments}/refund-plan/refund-in-full.ts`,
    name: 'more may be refunded than was paid',
    reason: 'Only the treasury can sign such a transfer.',
  },
  {
    file: `${payments}/refund-plan/refund-in-full.ts`,
    name: "return use.status === 'transferred' ⟦&& → ||⟧ use.value <= authorization.value ? use.value : undefined",
    reason: 'More than was paid can be transferred only with a signature of the treasury.',
  },
  {
    file: `${payments}/recovery/recover-unserved.ts`,
    name: 'if (ports.clock() - payment.updatedAt ⟦>= → >⟧ ports.policy.resumeMs) {',
    reason: 'A client may return a millisecond longer.',
  },
  {
    file: `${payments}/recovery/recover-unserved.ts`,
    name: "if (⟦confirmed.status === 'lost' → false⟧) return 'release'",
    reason: 'A payment whose money vanished is rejected, and is not refunded then.',
  },
  {
    file: `${payments}/channel-gate/admit-deposit.ts`,
    name: 'const isLeased = prior.lease !== null && prior.lease.until ⟦> → >=⟧ clock()',
    reason: 'A lease that ends in this millisecond delays the request by it.',
  },
  {
    file: `${payments}/channel-gate/admit-deposit.ts`,
    name: 'if (clock() ⟦>= → >⟧ deadline) return admissions.inFlight(current)',
    reason: 'It changes only whether the deposit is looked at once more.',
  },
  {
    file: `${payments}/channel-chain/watch-round.ts`,
    name: 'const behind = channels.filter(({ seenBlock }) => seenBlock ⟦< → <=⟧ block)',
    reason: 'It is judged a second time, by the channel as it is stored.',
  },
  {
    file: `${payments}/channel-chain/watch-round.ts`,
    name: 'if (totalClaimed ⟦> → >=⟧ channel.charged) await freezeIfBeyond(ports, channel, totalClaimed)',
    reason: 'It is judged a second time, by the channel as it is stored.',
  },
  {
    file: `${payments}/channel-chain/close-round.ts`,
    name: 'const amount = rest > ⟦0n → 1n⟧ ? rest : 1n',
    reason: 'A rest of one unit is one unit in both cases.',
  },
  {
    file: `${payments}/refund-worker/match-transfers.ts`,
    name: 'if (first === undefined ⟦|| → &&⟧ sum <= 0n || budget.choices < 0 || sumOf(refunds) < sum) return',
    reason: 'It changes only how many choices are tried.',
  },
  {
    file: `${payments}/refund-worker/match-transfers.ts`,
    name: 'if (first === undefined || sum ⟦<= → <⟧ 0n || budget.choices < 0 || sumOf(refunds) < sum) return',
    reason: 'It changes only how many choices are tried.',
  },
  {
    file: `${payments}/refund-worker/match-transfers.ts`,
    name: 'if (first === undefined || sum <= 0n || budget.choices ⟦< → <=⟧ 0 || sumOf(refunds) < sum) return',
    reason: 'It changes only how many choices are tried.',
  },
  {
    file: `${payments}/refund-worker/match-transfers.ts`,
    name: 'if (sums.size ⟦> → >=⟧ maxSums || sums.has(value)) break',
    reason: 'It changes only how many choices are tried.',
  },
  {
    file: `${payments}/refund-worker/match-transfers.ts`,
    name: 'const greatest = [...sums.keys()].reduce((most, sum) => (sum ⟦> → >=⟧ most ? sum : most), 0n)',
    reason: 'Of two equal sums either is the greatest.',
  },
  {
    file: `${payments}/refund-worker/match-transfers.ts`,
    name: 'const greatest = [...sums.keys()].reduce((most, sum) => (sum > most ? sum : most), ⟦0n → 1n⟧)',
    reason: 'Where no sum fits, none is paid in both cases.',
  },
  {
    file: `${payments}/refund-worker/batch-small-refunds.ts`,
    name: 'if (unrecorded.length ⟦> → >=⟧ 0) {',
    reason: 'Without unrecorded transfers nothing is booked.',
  },
  {
    file: `${payments}/refund-worker/batch-small-refunds.ts`,
    name: "if (⟦settlement.status === 'lost' → false⟧) continue",
    reason: 'A payment whose settlement was lost has none, so no transfer is matched with it.',
  },
  {
    file: `${payments}/refund-worker/batch-small-refunds.ts`,
    name: 'payment.refund === null ⟦|| → &&⟧ payment.settlement === null',
    reason: 'What is pending has a refund, and what is proven has a settlement.',
  },
  {
    file: `${payments}/refund-worker/refund-round.ts`,
    name: 'if (⟦transfer === undefined → false⟧) return',
    reason: 'A refund that the ledger has lost is not recorded in either case.',
  },
  {
    file: `${payments}/refund-worker/refund-round.ts`,
    name: 'for (let from = 0; from ⟦< → <=⟧ ready.length; from += ports.policy.refundBatchSize) {',
    reason: 'An empty batch sends nothing.',
  },
  {
    file: `${payments}/refund-worker/refund-worker.ts`,
    name: 'while (clock() ⟦< → <=⟧ deadline) {',
    reason: 'At its deadline a worker may begin one more round.',
  },
  {
    file: `${payments}/refund-worker/refund-worker.ts`,
    name: 'if (drainMs ⟦> → >=⟧ 0) await drain(drainMs)',
    reason: 'A drain of no time begins no round.',
  },
  {
    file: `${payments}/channel-gate/check-deposit.ts`,
    name: 'if (⟦!ports.depositBudget.allows(call.config.payer) → false⟧) return refused(tooManyDeposits)',
    reason: 'A deposit takes its place a second time before it is executed.',
  },
  {
    file: `${payments}/channel-gate/deposit-budget.ts`,
    name: 'const kept = counted.filter(({ at }) => now - at ⟦< → <=⟧ Math.max(hourMs, depositWindowMs))',
    reason: 'A deposit that counts no more is dropped at the next one.',
  },
  {
    file: `${payments}/relayer/preconfirmations.ts`,
    name: 'if (⟦listeners.size === 0 → false⟧) watching.delete(transaction)',
    reason: 'An empty list is shown nothing; it is only kept longer.',
  },
]

/** Why a mutant may survive; undefined when a test is missing. */
export function reasonOf({ file, name }: Pick<Mutant, 'file' | 'name'>): string | undefined {
  return survivors.find((known) => known.file === file && known.name === name)?.reason
}

/** The listed survivors that have left the list of mutants, each with the mutant of its file that is most like it. */
export function outdatedSurvivors(mutants: readonly Mutant[]): readonly string[] {
  return survivors.flatMap(({ file, name }) => {
    const names = mutants.filter((mutant) => mutant.file === file).map((mutant) => mutant.name)
    if (names.includes(name)) return []
    return [`${file}: ${name}\n  most like it: ${mostSimilar(name, names) ?? 'none'}`]
  })
}
