import { formatDecimal, parseDecimal } from './decimal.ts'

/**
 * An exact amount of US dollars in picodollars (10⁻¹² USD). A list price with at most six decimals
 * per million tokens is a whole number of picodollars per token, so nothing rounds before the edge.
 */
export type Usd = bigint & { readonly unit: 'usd' }

const decimals = 12

/** Takes picodollars as they are. */
export function picodollars(amount: bigint): Usd {
  return amount as Usd
}

/**
 * Reads dollars from decimal text such as `0.079605`.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most 12 decimals: no sign,
 * no exponent, no separators.
 */
export function parseUsd(text: string): Usd {
  return picodollars(parseDecimal(text, decimals))
}

/** Writes dollars as decimal text without `$`, with no trailing zeros. */
export function formatUsd(amount: Usd): string {
  return formatDecimal(amount, decimals)
}
