import { z } from 'zod'

/**
 * A whole number between two bounds. What exceeds the range of exact numbers is described by the
 * same bounds.
 */
export function wholeNumberBetween(least: number, most: number): z.ZodInt {
  const range = `must be between ${least} and ${most}`
  return z.int(range).min(least, range).max(most, range)
}
