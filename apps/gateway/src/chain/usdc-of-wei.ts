import { picodollars, toUsdcCeil, type Usdc } from '@farebox/money'

/** An amount of wei in USDC, rounded up. `dollars` is the price of an ETH. */
export function usdcOfWei(wei: bigint, dollars: bigint): Usdc {
  return toUsdcCeil(picodollars(wei * dollars), 1_000_000n)
}
