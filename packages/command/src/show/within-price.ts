import { FareboxError } from '@farebox/client'
import { formatDecimal, parseUsd, toUsdcCeil, type Usdc } from '@farebox/money'
import type { Purse } from '../wallet/open-purse.ts'

/** Makes a call that pays no more than the price that was shown, nor than the cap of a call. */
export async function withinPrice<Called>(
  { maxPerCall }: Pick<Purse, 'maxPerCall'>,
  shown: { readonly usd: string },
  call: (maxAmount: Usdc) => Promise<Called>,
): Promise<Called> {
  const price = toUsdcCeil(parseUsd(shown.usd))
  try {
    return await call(price < maxPerCall ? price : maxPerCall)
  } catch (error) {
    const asked = error instanceof FareboxError ? error.cap : undefined
    if (asked?.scope !== 'call' || asked.price > maxPerCall) throw error
    throw new FareboxError(
      'price_changed',
      `The gateway asks for up to ${usdc(asked.price)} USDC now, more than the ${usdc(price)} that it estimated. Nothing was paid.`,
      { cause: error },
    )
  }
}

function usdc(amount: bigint): string {
  return formatDecimal(amount, 6)
}
