import type { Usdc } from '@farebox/money'
import { invalidOption } from '../invalid-option.ts'

/** Without types a number would count as that many millionths, and a missing cap would cap nothing. */
export function usdcOption(name: string, amount: Usdc): Usdc {
  if (typeof amount === 'bigint' && amount >= 0n) return amount
  throw invalidOption(`${name} must be an amount of @farebox/money, such as parseUsdc('0.05').`)
}
