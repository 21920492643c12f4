import { picodollars, type Usd } from '@farebox/money'
import { quantity } from './quantity.ts'

/** 100%. */
export const basisPoints = 10_000n

/**
 * An amount with basis points added, as an unrounded numerator over `basisPoints`.
 *
 * @throws {PricingError} `invalid_quantity` for basis points that are not a non-negative safe integer.
 */
export function withBasisPoints(amount: Usd, bps: number): Usd {
  return picodollars(amount * (basisPoints + quantity('a margin in basis points', bps)))
}
