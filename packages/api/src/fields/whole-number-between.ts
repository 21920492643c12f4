import { z } from 'zod'

/**
 * A whole number between two bounds. What exceeds the range of exact numbers is described by the
 * same bounds.
 */
export function wholeNumberBetween(min: number, max: number): z.ZodInt {
  const range = `must be between ${min} and ${max}`
  return z.int(range).min(min, range).max(max, range)
}
