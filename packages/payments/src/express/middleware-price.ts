import { parseAtomicUsdc, parseUsdc, type Usdc } from '@farebox/money'
import type { PaymentNetwork } from '../chain/network.ts'
import type { Price } from './routes-config.ts'

/** What the ledger can hold. */
const highest = 2n ** 63n - 1n

type Pricing = { readonly pattern: string; readonly network: PaymentNetwork }

/**
 * Reads the price of a route exactly: decimal text in dollars with at most six decimals, or atomic
 * units of the network's USDC.
 *
 * @throws {PriceError} `invalid_price` for anything else, such as another token, `0` or `1e-7`.
 */
export function readPrice(price: Price, { pattern, network }: Pricing): Usdc {
  let amount: Usdc
  try {
    amount = typeof price === 'object' ? readUnits(price, network) : readDollars(String(price))
  } catch (cause) {
    throw new PriceError(pattern, price, { cause })
  }
  if (amount > 0n && amount <= highest) return amount
  throw new PriceError(pattern, price)
}

function readDollars(price: string): Usdc {
  return parseUsdc(price.trim().replace(/^\$\s*/, ''))
}

function readUnits({ amount, asset }: Extract<Price, object>, { usdc }: PaymentNetwork): Usdc {
  if (asset.address.toLowerCase() !== usdc || asset.decimals !== 6) {
    throw new TypeError(`${asset.address} is not USDC of 6 decimals`)
  }
  return parseAtomicUsdc(amount)
}

/** A price is not valid. */
export class PriceError extends Error {
  override readonly name = 'PriceError'
  readonly code = 'invalid_price'
  constructor(pattern: string, price: Price, options?: ErrorOptions) {
    const shown = typeof price === 'object' ? JSON.stringify(price) : String(price)
    super(
      `the price of ${JSON.stringify(pattern)} is ${shown}: write dollars above zero with at most six decimals, or units of the network's USDC`,
      options,
    )
  }
}
