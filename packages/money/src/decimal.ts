/** A token contract stores its decimals in a byte. */
const maxDecimals = 255

/**
 * Parses unsigned decimal text into a whole number of 10^-decimals.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most `decimals` decimals,
 * and for `decimals` that are not a whole number from 0 to 255.
 */
export function parseDecimal(text: string, decimals: number): bigint {
  requireDecimals('decimals', decimals)
  const match = isText(text) ? /^(\d{1,66})(?:\.(\d+))?$/.exec(text) : null
  const whole = match?.[1]
  const fraction = match?.[2] ?? ''
  if (whole === undefined || fraction.length > decimals) {
    throw new MoneyError(text, `digits with at most ${decimals} decimals, such as 0.5`)
  }
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/**
 * Formats a whole number of 10^-decimals as decimal text with at least `shown` decimals.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint, and for numbers of
 * decimals that are not whole numbers from 0 to 255.
 */
export function formatDecimal(amount: bigint, decimals: number, shown = 0): string {
  requireBigint(amount)
  requireDecimals('decimals', decimals)
  requireDecimals('shown', shown)
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, '')
    .padEnd(shown, '0')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/** Callers without types may pass a number, which a regular expression would turn into text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Callers without types may pass text or a number, which cannot be added to an amount. */
export function requireBigint(amount: unknown, name?: string): void {
  if (typeof amount !== 'bigint') throw new MoneyError(amount, 'a bigint, such as 1000n', name)
}

function requireDecimals(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxDecimals) return
  throw new MoneyError(value, `a whole number from 0 to ${maxDecimals}`, `"${name}"`)
}

/** An amount of money, or its number of decimals, is not valid. */
export class MoneyError extends Error {
  override readonly name = 'MoneyError'
  readonly code = 'invalid_amount'
  constructor(value: unknown, format: string, name?: string) {
    super(`${shownValue(value)} is not a valid ${name ?? 'amount'}: use ${format}`)
  }
}

function shownValue(value: unknown): string {
  if (isText(value)) return JSON.stringify(value.slice(0, 80))
  return typeof value === 'number' ? `The number ${value}` : `A value of type ${typeof value}`
}
