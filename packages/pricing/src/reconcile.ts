import { atomicUsdc, greatest, least, subtract, type Usdc } from '@farebox/money'

/**
 * Splits what was paid into what it cost and what goes back: the cost at most what was paid and
 * never negative, so that `paid = cost + refund` always, and neither is below zero.
 */
export function reconcile(paid: Usdc, cost: Usdc): { readonly cost: Usdc; readonly refund: Usdc } {
  const kept = least(paid, greatest(cost, atomicUsdc(0n)))
  return { cost: kept, refund: subtract(paid, kept) }
}
