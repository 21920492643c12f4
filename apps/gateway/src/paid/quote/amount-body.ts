import { formatUsdc, type Usdc } from '@farebox/money'

/** An amount as it stands in bodies: dollars as decimal text, atomic units as digits. */
export function amountBody(usdc: Usdc): { readonly usd: string; readonly usdc: string } {
  return { usd: formatUsdc(usdc), usdc: usdc.toString() }
}
