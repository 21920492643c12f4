import { parseUsdc, type Usdc } from '@farebox/money'
import { InvalidArgumentError } from 'commander'

/** Parses an option that is an amount of dollars. */
export function usdcOption(text: string): Usdc {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) {
    throw new InvalidArgumentError('Expected dollars with at most 6 decimals, such as 0.05.')
  }
  return parseUsdc(text)
}
