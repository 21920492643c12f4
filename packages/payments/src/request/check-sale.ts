import { SaleError } from './sale-error.ts'

/** What the options of a sale must be, by name. */
export type SaleOptions<Sale> = Readonly<
  Record<keyof Sale & string, 'string' | 'function' | 'number'>
>

/** What every sale may have. */
export const saleOptions = {
  description: 'string',
  mimeType: 'string',
  price: 'function',
  serve: 'function',
  onFault: 'function',
} as const

const required = new Set(['description', 'price', 'serve'])

/**
 * Checks what would otherwise have no effect, or fail after the first payment.
 *
 * @throws {SaleError} `invalid_option`, with the name of the option.
 */
export function checkSale<Sale extends object>(
  sale: Sale | undefined,
  options: SaleOptions<Sale>,
): void {
  const given: Partial<Sale> = sale ?? {}
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name))
  if (unknown !== undefined) {
    throw new SaleError('invalid_option', `a sale has no option ${JSON.stringify(unknown)}`)
  }
  const kinds: readonly (readonly [string, string])[] = Object.entries(options)
  for (const [name, kind] of kinds) {
    const value: unknown = given[name as keyof Sale]
    const isAbsent = value === undefined && !required.has(name)
    if (isAbsent || typeof value === kind) continue
    throw new SaleError('invalid_option', `${name} of a sale must be a ${kind}`)
  }
}

/**
 * Checks what the first request would miss.
 *
 * @throws {SaleError} `invalid_option` without an open paywall.
 */
export function checkPaywall(paywall: { readonly gate: object } | undefined): void {
  if (typeof paywall?.gate === 'object') return
  throw new SaleError('invalid_option', 'paywall must be an open one: openPaywall({ … })')
}
