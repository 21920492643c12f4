import type { Usd } from './usd.ts'
import type { Usdc } from './usdc.ts'

/** The sum of any number of amounts of one unit; zero for none. */
export function sum<Unit extends bigint>(amounts: readonly Unit[]): Unit {
  return amounts.reduce<bigint>((total, amount) => total + amount, 0n) as Unit
}

/** The first amount minus the second. Negative if the second is larger, which callers rule out. */
export function subtract<Unit extends Usd | Usdc>(from: Unit, amount: Unit): Unit {
  const minuend: bigint = from
  return (minuend - amount) as Unit
}

/** An amount multiplied by a whole number. */
export function times<Unit extends Usd | Usdc>(amount: Unit, count: bigint): Unit {
  const multiplicand: bigint = amount
  return (multiplicand * count) as Unit
}

/** The smaller of two amounts of one unit. */
export function least<Unit extends bigint>(a: Unit, b: Unit): Unit {
  return a < b ? a : b
}

/** The larger of two amounts of one unit. */
export function greatest<Unit extends bigint>(a: Unit, b: Unit): Unit {
  return a > b ? a : b
}
