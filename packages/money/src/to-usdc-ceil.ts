import { picodollars, type Usd } from './usd.ts'
import { atomicUsdc, type Usdc } from './usdc.ts'

const picodollarsPerUnit = 1_000_000n

/**
 * Rounds up to whole atomic units; one USDC is one dollar. The only rounding in Farebox.
 *
 * `amount` can be the numerator of a fraction over `denominator`, so that margins in basis points
 * and interpolated prices are not rounded earlier.
 */
export function toUsdcCeil(amount: Usd, denominator = 1n): Usdc {
  const unit = picodollarsPerUnit * denominator
  // Division cuts toward zero, which is up for a negative amount.
  return atomicUsdc((amount < 0n ? amount : amount + unit - 1n) / unit)
}

/** The exact value of an amount of USDC in dollars. */
export function toUsd(amount: Usdc): Usd {
  return picodollars(amount * picodollarsPerUnit)
}
