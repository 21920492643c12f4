import { formatDecimal, parseDecimal } from './decimal.ts'

/**
 * An exact amount of US dollars in picodollars (10⁻¹² USD). A list price per million tokens with at
 * most six decimals is a whole number of them per token: only the final price is rounded.
 */
export type Usd = bigint & { readonly unit: 'usd' }

const decimals = 12

/** A number of picodollars as an amount. */
export function picodollars(amount: bigint): Usd {
  return amount as Usd
}

/**
 * Parses dollars from decimal text such as `0.079605`.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most 12 decimals: no sign,
 * no exponent, no separators.
 */
export function parseUsd(text: string): Usd {
  return picodollars(parseDecimal(text, decimals))
}

/** Formats dollars as decimal text, without `$` or trailing zeros. */
export function formatUsd(amount: Usd): string {
  return formatDecimal(amount, decimals)
}
