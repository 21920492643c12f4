/** A non-negative integer as a bigint. */
export function quantity(name: string, value: number): bigint {
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  // Text and bigints look like a valid number in a message.
  throw new PricingError(name, typeof value === 'number' ? value : `type ${typeof value}`)
}

/** Callers without types may pass a number or text as an amount of money. */
export function requireAmount(name: string, value: unknown): void {
  if (typeof value !== 'bigint') throw new PricingError(name, `type ${typeof value}`)
}

/** A price below zero would pay the buyer. */
export function requirePrice(name: string, value: bigint): void {
  requireAmount(name, value)
  if (value < 0n) throw new PricingError(name, value.toString())
}

/** A quantity, size or amount cannot be priced. Validation must reject such requests earlier. */
export class PricingError extends Error {
  override readonly name = 'PricingError'
  readonly code = 'invalid_quantity'
  constructor(what: string, value: number | string) {
    super(`${what} of ${value} cannot be priced: validate requests before pricing them`)
  }
}
