import type { ProviderName } from '@farebox/catalogs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest, type Storefront } from '../../src/index.ts'
import { wireOf } from '../../src/tokens/wire-of.ts'
import { sellAll } from '../quote/sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

test.each<[readonly ProviderName[], ReturnType<typeof wireOf>]>([
  [['gemini'], 'chat'],
  [[], 'chat'],
  [['openai', 'azure'], 'chat'],
  [['vertex'], 'vertex'],
  [['gemini', 'vertex'], 'router'],
  [['gemini', 'openrouter'], 'router'],
  [['custom:proxy'], 'router'],
])('%j: %s', (providers, wire) => {
  expect(wireOf(providers)).toBe(wire)
})

const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }

/** The bound of a question with a schema beyond that of the question alone. */
async function boundOfSchema(storefront: Storefront, model: string): Promise<number> {
  const body = { model, messages: [{ role: 'user', content: 'How old is Bob?' }] }
  const format = { type: 'json_schema', json_schema: { name: 'person', schema } }
  const bounds = [body, { ...body, response_format: format }].map(async (request) => {
    const quoted = await quoteChatRequest(request, storefront)
    if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
    return quoted.sale.inputTokensAtMost
  })
  const [plain = 0, formatted = 0] = await Promise.all(bounds)
  return formatted - plain
}

test('a schema is paid up front where a provider that may bill it may serve the request', async () => {
  const model = 'google/gemini-2.5-flash'
  const all = sellAll(counter)
  const from = (name: ProviderName): Storefront => ({ ...all, providersOf: () => [name] })
  expect(await boundOfSchema(from('gemini'), model)).toBe(0)
  const vertex = await boundOfSchema(from('vertex'), model)
  expect(vertex).toBeGreaterThan(60)
  expect(await boundOfSchema(all, model)).toBe(vertex)
})

test('the providers are asked with the model and the request', async () => {
  const asked: unknown[] = []
  const providersOf: Storefront['providersOf'] = (model, request) => {
    asked.push([model.id, request.response_format?.type])
    return ['gemini']
  }
  await boundOfSchema({ ...sellAll(counter), providersOf }, 'google/gemini-2.5-flash')
  expect(asked).toEqual([
    ['google/gemini-2.5-flash', undefined],
    ['google/gemini-2.5-flash', 'json_schema'],
  ])
})
