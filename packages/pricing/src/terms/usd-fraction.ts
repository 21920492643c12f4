import { picodollars, type Usd } from '@farebox/money'
import { basisPoints, withBasisPoints } from './basis-points.ts'

/** An exact amount of picodollars as a fraction, so that a price is rounded only once. */
export type UsdFraction = { readonly numerator: Usd; readonly denominator: bigint }

export function whole(amount: bigint): UsdFraction {
  return { numerator: picodollars(amount), denominator: 1n }
}

export function times({ numerator, denominator }: UsdFraction, count: bigint): UsdFraction {
  return { numerator: picodollars(numerator * count), denominator }
}

/** The amount with basis points added. */
export function increased({ numerator, denominator }: UsdFraction, bps: number): UsdFraction {
  return { numerator: withBasisPoints(numerator, bps), denominator: denominator * basisPoints }
}

export function roundedUp({ numerator, denominator }: UsdFraction): Usd {
  return picodollars((numerator + denominator - 1n) / denominator)
}
