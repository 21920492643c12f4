import { quantity, requirePrice } from './quantity.ts'
import { requireObject } from './require-object.ts'
import type { Terms } from './terms.ts'

/**
 * The terms of one price: its own margin replaces the general one.
 *
 * @throws {PricingError} `invalid_quantity` for basis points that are not a non-negative safe
 * integer, or a minimum charge that is not a bigint of at least 0.
 */
export function termsOf(price: { readonly markupBps?: number }, terms: Terms): Terms {
  requireObject('price', price)
  requireObject('terms', terms)
  const { markupBps } = price
  const found = markupBps === undefined ? terms : { ...terms, markupBps }
  quantity('markupBps', found.markupBps)
  quantity('bufferBps', found.bufferBps)
  requirePrice('minimumCharge', found.minimumCharge)
  return found
}
