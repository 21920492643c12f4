import { requireBigint } from './decimal.ts'
import type { Usd } from './usd.ts'
import type { Usdc } from './usdc.ts'

/**
 * The sum of any number of amounts of one unit; zero for none.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint.
 */
export function sum<Unit extends bigint>(amounts: readonly Unit[]): Unit {
  let total = 0n
  for (const amount of amounts) {
    requireBigint(amount)
    total += amount
  }
  return total as Unit
}

/**
 * The first amount minus the second. Negative if the second is larger, which callers rule out.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint.
 */
export function subtract<Unit extends Usd | Usdc>(from: Unit, amount: Unit): Unit {
  requireBigint(from)
  requireBigint(amount)
  const minuend: bigint = from
  return (minuend - amount) as Unit
}

/**
 * An amount multiplied by a whole number.
 *
 * @throws {MoneyError} `invalid_amount` for an amount or a number that is not a bigint.
 */
export function times<Unit extends Usd | Usdc>(amount: Unit, count: bigint): Unit {
  requireBigint(amount)
  requireBigint(count, '"count"')
  const multiplicand: bigint = amount
  return (multiplicand * count) as Unit
}

/**
 * The smaller of two amounts of one unit.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint: of `undefined` and an amount,
 * the amount would be the result.
 */
export function least<Unit extends bigint>(a: Unit, b: Unit): Unit {
  requireBigint(a)
  requireBigint(b)
  return a < b ? a : b
}

/**
 * The larger of two amounts of one unit.
 *
 * @throws {MoneyError} `invalid_amount` for an amount that is not a bigint.
 */
export function greatest<Unit extends bigint>(a: Unit, b: Unit): Unit {
  requireBigint(a)
  requireBigint(b)
  return a > b ? a : b
}
