/**
 * The deposits of ten everyday requests, and what they cost in the end: the README's table. The cost
 * takes the likely input and an answer of 200 tokens, or a tool call of 60.
 *
 * `node --conditions=farebox-source scripts/measure-deposits.ts`
 */
import { createCatalog, shippedData } from '@farebox/catalogs'
import { formatUsdc, parseUsdc } from '@farebox/money'
import { priceUsage } from '@farebox/pricing'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { createStorefront, quoteChatRequest } from '../src/index.ts'
import { everydayRequests } from './everyday-requests.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const counter = createTokenCounter()
const catalog = createCatalog({ ...shippedData, now })
const storefront = createStorefront({
  settings: { PRICE_BUFFER_BPS: 1000, MARKUP_BPS: 0, MIN_CHARGE_USDC: parseUsdc('0.0001') },
  catalog: () => catalog,
  counter,
  quoteLifetimeMs: 360_000,
  now: () => now,
})

for (const { name, answer, body } of everydayRequests) {
  const quoted = await quoteChatRequest(body, storefront)
  if (quoted.status === 'rejected') throw new Error(`${name}: ${quoted.rejection.message}`)
  const [quote] = quoted.sale.quotes
  const cost = priceUsage(quote, {
    inputTokens: quoted.sale.inputTokens,
    outputTokens: answer,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    source: 'provider',
  })
  const cells = [name, quoted.sale.inputTokensAtMost, formatUsdc(quote.maximum), formatUsdc(cost)]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}
await counter.close()
