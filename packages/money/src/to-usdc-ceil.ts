import { picodollars, type Usd } from './usd.ts'
import { atomicUsdc, type Usdc } from './usdc.ts'

const picodollarsPerUnit = 1_000_000n

/**
 * Rounds up to whole atomic units, one USDC being one dollar. The only rounding there is.
 *
 * `amount` may be the numerator of a fraction over `denominator`, so that margins in basis points
 * and interpolated prices round nothing on their way here.
 */
export function toUsdcCeil(amount: Usd, denominator = 1n): Usdc {
  const unit = picodollarsPerUnit * denominator
  return atomicUsdc((amount + unit - 1n) / unit)
}

/** The dollars that an amount of USDC stands for, exactly. */
export function toUsd(amount: Usdc): Usd {
  return picodollars(amount * picodollarsPerUnit)
}
