import type { LedgerEntry } from '@farebox/ledger'
import { atomicUsdc, sum, type Usdc } from '@farebox/money'

/** The amount without its sign. */
export function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** What entries add to each account: debits are positive. */
export function positionOf(
  entries: readonly Pick<LedgerEntry, 'debit' | 'credit' | 'amount'>[],
): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { debit, credit, amount } of entries) {
    sums.set(debit, (sums.get(debit) ?? 0n) + amount)
    sums.set(credit, (sums.get(credit) ?? 0n) - amount)
  }
  return sums
}

/** How far two positions are apart, over all accounts. */
export function distance(
  found: ReadonlyMap<string, bigint>,
  expected: ReadonlyMap<string, bigint>,
): Usdc {
  const accounts = new Set([...found.keys(), ...expected.keys()])
  const differences = [...accounts].map((account) =>
    magnitude((found.get(account) ?? 0n) - (expected.get(account) ?? 0n)),
  )
  return sum(differences.map(atomicUsdc))
}
