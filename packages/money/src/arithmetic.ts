import type { Usd } from './usd.ts'
import type { Usdc } from './usdc.ts'

/** The sum of amounts of one unit. */
export function add<Unit extends Usd | Usdc>(first: Unit, ...rest: readonly Unit[]): Unit {
  return rest.reduce<bigint>((sum, amount) => sum + amount, first) as Unit
}

/** The first amount less the second; may be negative, which a caller must have ruled out. */
export function subtract<Unit extends Usd | Usdc>(from: Unit, amount: Unit): Unit {
  const minuend: bigint = from
  return (minuend - amount) as Unit
}

/** An amount taken a whole number of times. */
export function times<Unit extends Usd | Usdc>(amount: Unit, count: bigint): Unit {
  const multiplicand: bigint = amount
  return (multiplicand * count) as Unit
}

/** The smaller of two amounts of one unit. */
export function least<Unit extends Usd | Usdc>(a: Unit, b: Unit): Unit {
  return a < b ? a : b
}

/** The larger of two amounts of one unit. */
export function greatest<Unit extends Usd | Usdc>(a: Unit, b: Unit): Unit {
  return a > b ? a : b
}
