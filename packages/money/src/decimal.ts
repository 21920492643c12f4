/**
 * Parses unsigned decimal text into a whole number of 10^-decimals.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most that many decimals.
 */
export function parseDecimal(text: string, decimals: number): bigint {
  const match = isText(text) ? /^(\d{1,66})(?:\.(\d+))?$/.exec(text) : null
  const whole = match?.[1]
  const fraction = match?.[2] ?? ''
  if (whole === undefined || fraction.length > decimals) {
    throw new MoneyError(text, `digits with at most ${decimals} decimals, such as 0.5`)
  }
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** Formats a whole number of 10^-decimals as decimal text with at least `shown` decimals. */
export function formatDecimal(amount: bigint, decimals: number, shown = 0): string {
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

/** Text that is not a valid amount of money. */
export class MoneyError extends Error {
  override readonly name = 'MoneyError'
  readonly code = 'invalid_amount'
  constructor(text: unknown, format: string) {
    const shown = isText(text)
      ? JSON.stringify(text.slice(0, 80))
      : `A value of type ${typeof text}`
    super(`${shown} is not a valid amount: use ${format}`)
  }
}
