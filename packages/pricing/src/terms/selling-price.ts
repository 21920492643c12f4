import { greatest, toUsdcCeil, type Usdc } from '@farebox/money'
import type { Terms } from './terms.ts'
import { increased, type UsdFraction } from './usd-fraction.ts'

/** An upstream cost as quoted: with markup and buffer. */
export function quotedPrice(upstream: UsdFraction, terms: Terms): Usdc {
  return atLeastMinimum(increased(increased(upstream, terms.markupBps), terms.bufferBps), terms)
}

/** An upstream cost as charged: with markup, without buffer. */
export function chargedPrice(upstream: UsdFraction, terms: Terms): Usdc {
  return atLeastMinimum(increased(upstream, terms.markupBps), terms)
}

function atLeastMinimum({ numerator, denominator }: UsdFraction, { minimumCharge }: Terms): Usdc {
  return greatest(minimumCharge, toUsdcCeil(numerator, denominator))
}
