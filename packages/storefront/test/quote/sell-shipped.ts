import { type CatalogData, createCatalog, shippedData } from '@farebox/catalogs'
import { parseUsdc } from '@farebox/money'
import type { TokenCounter } from '@farebox/tokenizer/node'
import { createStorefront, type Storefront } from '../../src/index.ts'

export const now = Date.parse('2026-11-20T12:00:00Z')

/** A storefront that sells everything in the data. */
export function sellAll(counter: TokenCounter, data: CatalogData = shippedData): Storefront {
  const catalog = createCatalog({ ...data, now })
  return createStorefront({
    settings: { PRICE_BUFFER_BPS: 1000, MARKUP_BPS: 250, MIN_CHARGE_USDC: parseUsdc('0.001') },
    catalog: () => catalog,
    counter,
    quoteLifetimeMs: 360_000,
    now: () => now,
  })
}
