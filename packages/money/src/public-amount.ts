import { toUsd } from './to-usdc-ceil.ts'
import { formatUsd } from './usd.ts'
import type { Usdc } from './usdc.ts'

/** An amount as JSON shows it: atomic units as digits, dollars as decimal text without trailing zeros. */
export function publicAmount(usdc: Usdc): { readonly usdc: string; readonly usd: string } {
  return { usdc: usdc.toString(), usd: formatUsd(toUsd(usdc)) }
}
