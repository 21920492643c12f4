import { formatDecimal, requireBigint } from './decimal.ts'
import type { Usd } from './usd.ts'

const picodollarDecimals = 12

/**
 * Dollars for people, such as `$0.0075`, `$1.25` or `$1,204.50`: at least two decimals, and below a
 * dollar as many as two significant digits need. Rounded up, so that no amount is shown too low.
 *
 * @throws {MoneyError} `invalid_amount` for anything but a bigint.
 */
export function displayUsd(amount: Usd): string {
  requireBigint(amount)
  const decimals = shownDecimals(amount)
  const step = 10n ** BigInt(picodollarDecimals - decimals)
  const rounded = (amount + step - 1n) / step
  const [whole = '0', fraction = ''] = formatDecimal(rounded, decimals, 2).split('.')
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}

/** Two, or the places after the point up to the second digit that is not a leading zero. */
function shownDecimals(amount: Usd): number {
  if (amount <= 0n) return 2
  const leadingZeros = picodollarDecimals - amount.toString().length
  return Math.min(picodollarDecimals, Math.max(2, leadingZeros + 2))
}
