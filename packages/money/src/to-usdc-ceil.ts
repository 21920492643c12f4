import { MoneyError, requireBigint } from './decimal.ts'
import { picodollars, type Usd } from './usd.ts'
import { atomicUsdc, type Usdc } from './usdc.ts'

const picodollarsPerUnit = 1_000_000n

/**
 * Rounds up to whole atomic units; one USDC is one dollar. A price is exact until then.
 *
 * `amount` can be the numerator of a fraction over `denominator`, so that margins in basis points
 * and interpolated prices are not rounded earlier.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint, and for a denominator
 * that is not a bigint above 0.
 */
export function toUsdcCeil(amount: Usd, denominator = 1n): Usdc {
  requireBigint(amount)
  if (typeof denominator !== 'bigint' || denominator <= 0n) {
    throw new MoneyError(String(denominator), 'a bigint above 0', '"denominator"')
  }
  const unit = picodollarsPerUnit * denominator
  // Division cuts toward zero, which is up for a negative amount.
  return atomicUsdc((amount < 0n ? amount : amount + unit - 1n) / unit)
}

/**
 * The exact value of an amount of USDC in dollars.
 *
 * @throws {MoneyError} `invalid_amount` for anything but a bigint.
 */
export function toUsd(amount: Usdc): Usd {
  requireBigint(amount)
  return picodollars(amount * picodollarsPerUnit)
}
