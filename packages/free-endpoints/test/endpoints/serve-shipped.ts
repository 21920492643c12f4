import { createCatalog, shippedData } from '@farebox/catalogs'
import { createBodyBudget } from '@farebox/http'
import { parseUsdc } from '@farebox/money'
import { createStorefront } from '@farebox/storefront'
import type { TokenCounter } from '@farebox/tokenizer/node'
import express, { type Express } from 'express'
import { freeEndpoints } from '../../src/index.ts'

export const now = Date.parse('2026-11-20T12:00:00Z')

/** The free endpoints of a storefront that sells everything shipped. */
export function serveShipped(counter: TokenCounter): Express {
  const catalog = createCatalog({ ...shippedData, now })
  const storefront = createStorefront({
    settings: { PRICE_BUFFER_BPS: 1000, MARKUP_BPS: 250, MIN_CHARGE_USDC: parseUsdc('0.001') },
    catalog: () => catalog,
    counter,
    quoteLifetimeMs: 360_000,
    now: () => now,
  })
  const network = { network: 'eip155:84532', mainnet: false, cdp: 'not configured' }
  const budget = createBodyBudget(1 << 28)
  return express().use(
    freeEndpoints({ storefront, network, budget, condition: () => ({ status: 'ok' }) }),
  )
}
