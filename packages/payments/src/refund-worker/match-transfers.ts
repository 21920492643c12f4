import { sum } from '@farebox/money'

/** A small refund that is batched with others; its block is that of the payment it comes from. */
export type OwedRefund = { readonly amount: bigint; readonly block: number }

/** A transfer of batched refunds that is on the chain and missing from the ledger. */
export type FoundTransfer = { readonly value: bigint; readonly block: number }

/** How many choices are tried before giving up on an exact match. */
const maxChoices = 20_000
const maxSums = 50_000

/**
 * Finds which refunds each transfer paid, after a restored backup. A transfer cannot have paid a
 * refund that was settled after it. If the refunds can be divided so that every transfer is explained
 * to the unit, they are, older refunds first; otherwise each transfer is matched with the largest sum
 * that it can have paid. So what is booked as paid never exceeds what the transfers paid.
 */
export function matchTransfers<Refund extends OwedRefund>(
  refunds: readonly Refund[],
  transfers: readonly FoundTransfer[],
): readonly (readonly Refund[])[] {
  const exact = divide(refunds, transfers, { choices: maxChoices })
  if (exact !== null) return exact
  let left = refunds
  return transfers.map((transfer) => {
    const paid = greatestWithin(payable(left, transfer), transfer.value)
    left = left.filter((refund) => !paid.includes(refund))
    return paid
  })
}

type Budget = { choices: number }

function payable<Refund extends OwedRefund>(
  refunds: readonly Refund[],
  { block }: FoundTransfer,
): readonly Refund[] {
  return refunds.filter((refund) => refund.block <= block)
}

function divide<Refund extends OwedRefund>(
  refunds: readonly Refund[],
  transfers: readonly FoundTransfer[],
  budget: Budget,
): readonly (readonly Refund[])[] | null {
  const [transfer, ...others] = transfers
  if (transfer === undefined) return []
  const candidates = payable(refunds, transfer)
  // It can only have paid refunds of payments that are missing too.
  if (candidates.length === 0) {
    const rest = divide(refunds, others, budget)
    return rest === null ? null : [[], ...rest]
  }
  for (const paid of subsetsOf(candidates, transfer.value, budget)) {
    const left = refunds.filter((refund) => !paid.includes(refund))
    const rest = divide(left, others, budget)
    if (rest !== null) return [paid, ...rest]
  }
  return null
}

/** The sets of refunds with exactly that sum, those with the oldest refunds first. */
function* subsetsOf<Refund extends OwedRefund>(
  refunds: readonly Refund[],
  sum: bigint,
  budget: Budget,
): Generator<readonly Refund[]> {
  if (sum === 0n) yield []
  const [first, ...rest] = refunds
  budget.choices -= 1
  if (first === undefined || sum <= 0n || budget.choices < 0 || sumOf(refunds) < sum) return
  if (first.amount <= sum) {
    for (const others of subsetsOf(rest, sum - first.amount, budget)) yield [first, ...others]
  }
  yield* subsetsOf(rest, sum, budget)
}

/** The refunds whose sum comes closest to a value without exceeding it. */
function greatestWithin<Refund extends OwedRefund>(
  refunds: readonly Refund[],
  value: bigint,
): readonly Refund[] {
  let sums = new Map<bigint, readonly Refund[]>([[0n, []]])
  for (const refund of refunds) {
    if (sums.size > maxSums || sums.has(value)) break
    const next = new Map(sums)
    for (const [sum, paid] of sums) {
      const total = sum + refund.amount
      if (total <= value && !next.has(total)) next.set(total, [...paid, refund])
    }
    sums = next
  }
  const greatest = [...sums.keys()].reduce((most, sum) => (sum > most ? sum : most), 0n)
  return sums.get(greatest) ?? []
}

function sumOf(refunds: readonly OwedRefund[]): bigint {
  return sum(refunds.map(({ amount }) => amount))
}
