import { picodollars, type Usd } from './usd.ts'
import { atomicUsdc, type Usdc } from './usdc.ts'

const picodollarsPerUnit = 1_000_000n

/** Rounds up to whole atomic units, one USDC being one dollar. The only rounding there is. */
export function toUsdcCeil(amount: Usd): Usdc {
  return atomicUsdc((amount + picodollarsPerUnit - 1n) / picodollarsPerUnit)
}

/** The dollars that an amount of USDC stands for, exactly. */
export function toUsd(amount: Usdc): Usd {
  return picodollars(amount * picodollarsPerUnit)
}
