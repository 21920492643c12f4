import type { Usdc } from '@farebox/money'
import { SaleError } from './sale-error.ts'

/**
 * The price of a request.
 *
 * @throws {SaleError} `invalid_price` for one that cannot be paid.
 */
export function checkedPrice(price: Usdc): Usdc {
  if (isAmount(price) && price > 0n) return price
  throw new SaleError('invalid_price')
}

/**
 * The cost of a service.
 *
 * @throws {SaleError} `invalid_cost` for what is not an amount, as code without types may return, or
 * is below zero.
 */
export function checkedCost(cost: Usdc): Usdc {
  if (isAmount(cost) && cost >= 0n) return cost
  throw new SaleError('invalid_cost')
}

function isAmount(value: unknown): boolean {
  return typeof value === 'bigint'
}
