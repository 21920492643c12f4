import { picodollars, type Usd } from '@farebox/money'

const decimals = 12
/** No call costs a million dollars. Sums of larger figures would exceed what a ledger can hold. */
const maxCost = 10n ** 18n

/**
 * The cost of a call in dollars from JSON, number or text, exactly; below a picodollar it is rounded
 * up.
 *
 * The shortest text of a double is the text that it was read from, up to 15 digits. Null for what
 * is not a cost: negative, not finite, not a number, more than a million dollars.
 */
export function exactCost(value: unknown): Usd | null {
  const cost = exactAmount(value)
  return cost === null || cost > maxCost ? null : picodollars(cost)
}

function exactAmount(value: unknown): bigint | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return null
  const match = /^(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i.exec(text)
  const integer = match?.[1]
  if (integer === undefined) return null
  const fraction = match?.[2] ?? ''
  const digits = BigInt(integer + fraction)
  const scale = decimals + Number(match?.[3] ?? 0) - fraction.length
  if (scale >= 0) return digits * 10n ** BigInt(scale)
  const divisor = 10n ** BigInt(-scale)
  return (digits + divisor - 1n) / divisor
}
