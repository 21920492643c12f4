import { readFileSync } from 'node:fs'
import { shippedData } from '@farebox/catalogs'
import { quoteChat } from '@farebox/pricing'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { everydayRequests } from '../../scripts/everyday-requests.ts'
import { type ChatSale, quoteChatRequest } from '../../src/index.ts'
import { now, sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n')

test.each(everydayRequests)(
  '$name: the bound of its input is that of the README',
  async (request) => {
    const row = readme.find((line) => line.startsWith(`| ${request.name} |`))
    const [, , bound = ''] = row?.split('|').map((cell) => cell.trim()) ?? []
    const quoted = await quoteChatRequest(request.body, sellAll(counter))
    if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
    expect(quoted.sale.inputTokensAtMost).toBe(Number(bound.replace(',', '')))
  },
)

const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }

async function sold(fields: object, storefront = sellAll(counter)): Promise<ChatSale> {
  const quoted = await quoteChatRequest({ ...hello, ...fields }, storefront)
  if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
  return quoted.sale
}

test('a deposit covers the bound of the input and the cap of each choice', async () => {
  const storefront = sellAll(counter)
  const fields = { model: 'openai/gpt-4.1', response_format: { type: 'json_object' } }
  const sale = await sold({ ...fields, n: 3, max_tokens: 2_000 })
  const { model, inputTokens, inputTokensAtMost } = sale
  expect(inputTokensAtMost).toBeGreaterThan(inputTokens)
  const quoted = quoteChat({
    model: model.id,
    price: model.price,
    terms: storefront.terms,
    inputTokens: inputTokensAtMost,
    likelyInputTokens: inputTokens,
    maxOutputTokens: 2_000,
    choices: 3,
  })
  expect(sale.quotes).toEqual([quoted])
})

test('a response format is in the bound', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
  const model = 'openai/gpt-4.1'
  const plain = await sold({ model })
  expect((await sold({ model, response_format: format })).inputTokensAtMost).toBeGreaterThan(
    plain.inputTokensAtMost,
  )
})

test.each([
  ['openai/gpt-4.1-mini', 'openai/gpt-4.1'],
  ['openai/gpt-4.1', 'openai/gpt-4.1-mini'],
])('of %s and %s, a deposit covers the more expensive one', async (...models) => {
  const [one, other] = await Promise.all(models.map((model) => sold({ model, max_tokens: 4_000 })))
  const both = await sold({ models, max_tokens: 4_000 })
  const highest = Math.max(...[one, other].map((sale) => Number(sale?.quotes[0].maximum)))
  expect(Number(both.quotes[0].maximum)).toBe(highest)
})

test('a price is honored for the lifetime of a quote, also in a request for several models', async () => {
  const id = 'openai/gpt-4.1'
  const chat = shippedData.chat.map((record) => {
    const [price] = record.prices
    if (record.id !== id || price === undefined) return record
    const effectiveFrom = new Date(now - 60_000).toISOString()
    const rates = { input: '1', output: '4' }
    return { ...record, prices: [price, { ...price, effectiveFrom, rates }] }
  })
  const storefront = sellAll(counter, { ...shippedData, chat })
  const lower = await sold({ model: id, max_tokens: 4_000 }, storefront)
  const before = await sold({ model: id, max_tokens: 4_000 })
  expect(lower.quotes.map(({ maximum }) => maximum)).toEqual([
    expect.toSatisfy((maximum: bigint) => maximum < before.quotes[0].maximum),
    before.quotes[0].maximum,
  ])
  const models = ['openai/gpt-4.1-mini', id]
  const both = await sold({ models, max_tokens: 4_000 }, storefront)
  expect(both.quotes.map(({ maximum }) => maximum)).toEqual(
    lower.quotes.map(({ maximum }) => maximum),
  )
  const later = { ...storefront, quoteLifetimeMs: 30_000 }
  expect((await sold({ model: id }, later)).quotes).toHaveLength(1)
})
