import { formatDecimal, MoneyError, parseDecimal } from './decimal.ts'

/** An exact amount of USDC in atomic units (10⁻⁶ USDC), as the token contract counts. */
export type Usdc = bigint & { readonly unit: 'usdc' }

const decimals = 6

/** Takes atomic units as they are. */
export function atomicUsdc(amount: bigint): Usdc {
  return amount as Usdc
}

/**
 * Reads atomic units from a string of digits, the form of amounts on the x402 wire.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits.
 */
export function parseAtomicUsdc(text: string): Usdc {
  if (!/^\d{1,78}$/.test(text)) throw new MoneyError(text, 'atomic units as digits')
  return atomicUsdc(BigInt(text))
}

/**
 * Reads whole USDC from decimal text such as `0.001`.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most 6 decimals.
 */
export function parseUsdc(text: string): Usdc {
  return atomicUsdc(parseDecimal(text, decimals))
}

/** Writes whole USDC as decimal text with all six decimals, `0.001000`. */
export function formatUsdc(amount: Usdc): string {
  return formatDecimal(amount, decimals, decimals)
}
