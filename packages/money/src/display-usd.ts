import { formatDecimal, requireBigint } from './decimal.ts'
import type { Usd } from './usd.ts'

const picodollarDecimals = 12

/**
 * Dollars for people, such as `$0.0075`, `$1.25` or `-$1,204.50`: at least two decimals, and below a
 * dollar as many as two significant digits need. Rounded up, so that no amount is shown too low.
 *
 * @throws {MoneyError} `invalid_amount` for anything but a bigint.
 */
export function displayUsd(amount: Usd): string {
  requireBigint(amount)
  const exact: bigint = amount
  const size = exact < 0n ? -exact : exact
  const decimals = shownDecimals(size)
  const step = 10n ** BigInt(picodollarDecimals - decimals)
  const rounded = (amount < 0n ? size : size + step - 1n) / step
  const [whole = '0', fraction = ''] = formatDecimal(rounded, decimals, 2).split('.')
  const sign = amount < 0n && rounded > 0n ? '-' : ''
  return `${sign}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}

/** Two, or the places after the point up to the second digit that is not a leading zero. */
function shownDecimals(size: bigint): number {
  if (size === 0n) return 2
  const leadingZeros = picodollarDecimals - size.toString().length
  return Math.min(picodollarDecimals, Math.max(2, leadingZeros + 2))
}
