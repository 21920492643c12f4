import { quantity, requireAmount } from './quantity.ts'
import type { Terms } from './terms.ts'

/**
 * The terms of one price: its own margin replaces the general one.
 *
 * @throws {PricingError} `invalid_quantity` for basis points that are not a non-negative safe
 * integer, or a minimum charge that is not a bigint.
 */
export function termsOf({ markupBps }: { readonly markupBps?: number }, terms: Terms): Terms {
  const found = markupBps === undefined ? terms : { ...terms, markupBps }
  quantity('markupBps', found.markupBps)
  quantity('bufferBps', found.bufferBps)
  requireAmount('minimumCharge', found.minimumCharge)
  return found
}
