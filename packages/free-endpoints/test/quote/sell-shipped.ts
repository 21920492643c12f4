import {
  type CatalogData,
  createCatalog,
  defaultChatModel,
  defaultImageModel,
  shippedData,
} from '@farebox/catalogs'
import { parseUsdc } from '@farebox/money'
import type { TokenCounter } from '@farebox/tokenizer/node'
import express, { type Express } from 'express'
import { createBodyBudget, freeEndpoints, type Storefront } from '../../src/index.ts'

export const now = Date.parse('2026-11-20T12:00:00Z')

/** A storefront that sells everything that the data holds. */
export function sellAll(counter: TokenCounter, data: CatalogData = shippedData): Storefront {
  const catalog = createCatalog({ ...data, now })
  return {
    catalog: () => catalog,
    terms: { bufferBps: 1000, markupBps: 250, minimumCharge: parseUsdc('0.001') },
    counter,
    defaultChatModel,
    defaultImageModel,
    isSold: () => true,
    unsupportedField: () => undefined,
    quoteLifetimeMs: 360_000,
    now: () => now,
  }
}

/** The free endpoints over a storefront. */
export function serve(storefront: Storefront): Express {
  const app = express()
  const network = { network: 'eip155:84532', mainnet: false, cdp: 'not configured' }
  const budget = createBodyBudget(1 << 28)
  return app.use(
    freeEndpoints({ storefront, network, budget, condition: () => ({ status: 'ok' }) }),
  )
}
