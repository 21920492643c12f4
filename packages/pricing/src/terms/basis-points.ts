import { picodollars, type Usd } from '@farebox/money'

/** A hundred per cent. */
export const basisPoints = 10_000n

/** An amount with basis points added, as a numerator over `basisPoints`: nothing is rounded. */
export function withBasisPoints(amount: Usd, bps: number): Usd {
  return picodollars(amount * (basisPoints + BigInt(bps)))
}
