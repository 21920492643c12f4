import { formatUsd, parseUsd } from '@farebox/money'

/** An amount of the gateway without trailing zeros, as every amount of the command. */
export function usdcText(usd: string): string {
  return `${formatUsd(parseUsd(usd))} USDC`
}
