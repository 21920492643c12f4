import { toUsd } from './to-usdc-ceil.ts'
import { formatUsd } from './usd.ts'
import type { Usdc } from './usdc.ts'

/**
 * An amount as JSON shows it: atomic units as digits, dollars as decimal text without trailing zeros.
 *
 * @throws {MoneyError} `invalid_amount` for anything but a bigint.
 */
export function publicAmount(usdc: Usdc): { readonly usdc: string; readonly usd: string } {
  const usd = formatUsd(toUsd(usdc))
  return { usdc: usdc.toString(), usd }
}
