import { parseAtomicUsdc, parseUsdc, type Usdc } from '@farebox/money'
import type { PaymentNetwork } from '../chain/network.ts'
import type { Price } from './routes-config.ts'

/**
 * Reads a price exactly: decimal text in dollars with at most six decimals, or atomic units of the
 * network's USDC.
 *
 * @throws {PriceError} `invalid_price` for anything else, such as another token or `1e-7`.
 */
export function readPrice(price: Price, network: PaymentNetwork): Usdc {
  if (typeof price !== 'object') return readDollars(String(price))
  const { amount, asset } = price
  if (asset.address.toLowerCase() !== network.usdc || asset.decimals !== 6) {
    throw new PriceError(`${amount} of ${asset.address}`)
  }
  return parseAtomicUsdc(amount)
}

function readDollars(price: string): Usdc {
  try {
    return parseUsdc(price.trim().replace(/^\$\s*/, ''))
  } catch (error) {
    throw new PriceError(price, { cause: error })
  }
}

/** A price is not valid. */
export class PriceError extends Error {
  override readonly name = 'PriceError'
  readonly code = 'invalid_price'
  constructor(price: string, options?: ErrorOptions) {
    super(`${price} is not a valid USDC price: use at most six decimals`, options)
  }
}
