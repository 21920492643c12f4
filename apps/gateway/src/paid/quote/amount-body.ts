import { formatUsd, toUsd, type Usdc } from '@farebox/money'

/** An amount as bodies show it: dollars as decimal text, atomic units as digits. */
export function amountBody(usdc: Usdc): { readonly usd: string; readonly usdc: string } {
  return { usd: formatUsd(toUsd(usdc)), usdc: usdc.toString() }
}
