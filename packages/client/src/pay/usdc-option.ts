import type { Usdc } from '@farebox/money'
import { invalidOption } from '../invalid-option.ts'

/** Without types a number would count as that many millionths, and a missing cap would cap nothing. */
export function usdcOption(name: string, amount: Usdc, lowest = 0n): Usdc {
  if (typeof amount === 'bigint' && amount >= lowest) return amount
  throw invalidOption(
    `${name} must be an amount of @farebox/money${lowest ? ' above 0' : ''}, such as parseUsdc('0.05').`,
  )
}
