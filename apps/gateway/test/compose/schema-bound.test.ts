import { shippedCatalog } from '@farebox/catalogs'
import { quoteChatRequest } from '@farebox/storefront'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { composeStorefront } from '../../src/compose/compose-storefront.ts'
import { readConfig } from '../../src/config.ts'
import { composeProviders } from '../../src/providers/compose-providers.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const counter = createTokenCounter()
afterAll(() => counter.close())

const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }

const question = {
  model: 'google/gemini-2.5-flash',
  messages: [{ role: 'user', content: 'How old is Bob?' }],
}

/** What a schema adds to the bound, where providers of these keys are enabled. */
async function addedBySchema(keys: NodeJS.ProcessEnv, preferences: object = {}): Promise<number> {
  const read = readConfig(keys)
  if (read.status !== 'valid') throw new Error(read.problems.join('; '))
  const { config } = read
  const providers = composeProviders(config, undefined)
  const catalog = shippedCatalog(now)
  const storefront = composeStorefront({
    config,
    catalog: () => catalog,
    providers,
    counter,
    now: () => now,
  })
  const format = { type: 'json_schema', json_schema: { name: 'person', schema } }
  const bodies = [question, { ...question, response_format: format, ...preferences }]
  const bounds: number[] = []
  for (const body of bodies) {
    const quoted = await quoteChatRequest(body, storefront)
    if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
    bounds.push(quoted.sale.inputTokensAtMost)
  }
  await providers.close()
  const [plain = 0, formatted = 0] = bounds
  return formatted - plain
}

const google = { GEMINI_API_KEY: 'key' }
const both = { ...google, OPENROUTER_API_KEY: 'key' }

test("a schema adds nothing on Google's own API, which does not bill it", async () => {
  expect(await addedBySchema(google)).toBe(0)
})

test('a schema is paid up front where OpenRouter may send it to Vertex AI', async () => {
  expect(await addedBySchema(both)).toBeGreaterThan(60)
  expect(await addedBySchema(both, { provider: { only: ['google-ai-studio'] } })).toBe(0)
})
