import { picodollars, type Usd } from '@farebox/money'

/** 100%. */
export const basisPoints = 10_000n

/** An amount with basis points added, as an unrounded numerator over `basisPoints`. */
export function withBasisPoints(amount: Usd, bps: number): Usd {
  return picodollars(amount * (basisPoints + BigInt(bps)))
}
