import { formatDecimal, isText, MoneyError, parseDecimal } from './decimal.ts'

/** An exact amount of USDC in atomic units (10⁻⁶ USDC), as in the token contract. */
export type Usdc = bigint & { readonly unit: 'usdc' }

const decimals = 6

/** A number of atomic units as an amount. */
export function atomicUsdc(amount: bigint): Usdc {
  return amount as Usdc
}

/**
 * Parses atomic units from a string of digits, the format of amounts in x402.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits.
 */
export function parseAtomicUsdc(text: string): Usdc {
  if (!isText(text) || !/^\d{1,78}$/.test(text)) {
    throw new MoneyError(text, 'atomic units in digits, such as 1000')
  }
  return atomicUsdc(BigInt(text))
}

/**
 * Parses whole USDC from decimal text such as `0.001`.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most 6 decimals.
 */
export function parseUsdc(text: string): Usdc {
  return atomicUsdc(parseDecimal(text, decimals))
}

/** Formats whole USDC as decimal text with all six decimals, such as `0.001000`. */
export function formatUsdc(amount: Usdc): string {
  return formatDecimal(amount, decimals, decimals)
}
