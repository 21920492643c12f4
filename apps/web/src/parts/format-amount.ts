/** `$0.003526`: decimal text as it came, without zeros at its end beyond two digits. */
export function exactDollars(text: string): string {
  const [whole = '0', fraction = ''] = text.split('.')
  return `$${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/** An amount that was computed for display, with three significant digits: `$0.00241`. */
export function aboutDollars(amount: number): string {
  if (amount === 0) return '$0'
  const digits = amount >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(amount)))
  return exactDollars(amount.toFixed(digits))
}

/** The price of a million tokens from that of a thousand. */
export function perMillion(perThousand: number): string {
  return aboutDollars(Number((perThousand * 1_000).toPrecision(6)))
}

/** `128K`, `1M`: a number of tokens in the units that models are described with. */
export function tokenCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}K` : String(tokens)
}
