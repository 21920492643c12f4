import { atomicUsdc, greatest, least, subtract, type Usdc } from '@farebox/money'

/**
 * Splits what was paid into what is kept and what is refunded. The cost is capped at what was paid
 * and never negative, so `paid = cost + refund` always holds and neither part is below zero.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint.
 */
export function reconcile(paid: Usdc, cost: Usdc): { readonly cost: Usdc; readonly refund: Usdc } {
  const kept = least(paid, greatest(cost, atomicUsdc(0n)))
  return { cost: kept, refund: subtract(paid, kept) }
}
