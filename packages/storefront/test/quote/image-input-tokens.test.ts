import { shippedCatalog } from '@farebox/catalogs'
import { countImageTokens, type ImageDetail } from '@farebox/tokenizer'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { now, sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())
const storefront = sellAll(counter)

const boundOf = (id: string, detail: ImageDetail): number =>
  countImageTokens(id, { detail }).upperBound

/** Tokens of the largest image by the makers' guides, without and with `detail: "high"`. */
test.each([
  ['openai/gpt-4o', 1_445, 1_445],
  ['openai/gpt-4o-mini', 48_169, 48_169],
  ['openai/gpt-4o-mini-2024-07-18', 48_169, 48_169],
  ['openai/gpt-4.1-nano', Math.ceil(1536 * 2.46), Math.ceil(1536 * 2.46)],
  ['openai/o4-mini', Math.ceil(1536 * 1.72), Math.ceil(1536 * 1.72)],
  ['openai/gpt-5', 70 + 8 * 140, 70 + 8 * 140],
  ['openai/gpt-5-nano', Math.ceil(1536 * 2.46), Math.ceil(1536 * 2.46)],
  ['openai/gpt-5.4', 2_500, 2_500],
  ['openai/gpt-5.5', 10_000, 2_500],
  ['openai/gpt-5.6-luna', 30_000, 2_500],
  ['openai/gpt-6.1-sol-pro', 30_000, 2_500],
  ['anthropic/claude-opus-4.7', 4_784, 4_784],
  ['google/gemini-2.5-pro', 16 * 258, 16 * 258],
  ['google/gemini-3.8-flash', 1_120, 1_120],
  ['mistralai/mistral-small-2603', 64 * 64 + 64, 64 * 64 + 64],
  ['qwen/qwen3-vl-8b-instruct', 16_384, 16_384],
])('%s: the bound covers the largest image', (id, automatic, fixed) => {
  expect(boundOf(id, undefined)).toBeGreaterThanOrEqual(automatic)
  expect(boundOf(id, 'auto')).toBe(boundOf(id, undefined))
  expect(boundOf(id, 'high')).toBeGreaterThanOrEqual(fixed)
})

const seeing = shippedCatalog(now).chat.filter(({ inputModalities }) =>
  inputModalities.includes('image'),
)

test('each image part adds its bound to the input, for every model that accepts images', async () => {
  const image = (detail: string | undefined) => ({
    type: 'image_url',
    image_url: { url: 'data:image/png;base64,AAAA', ...(detail && { detail }) },
  })
  const inputOf = async (model: string, parts: readonly object[]): Promise<number> => {
    const content = [{ type: 'text', text: 'What is this?' }, ...parts]
    const body = { model, messages: [{ role: 'user', content }], max_tokens: 16 }
    const quoted = await quoteChatRequest(body, storefront)
    if (quoted.status !== 'quoted') throw new Error(`${model}: ${quoted.rejection.message}`)
    return quoted.sale.quotes[0].inputTokens
  }
  expect(seeing.length).toBeGreaterThan(150)
  for (const model of seeing) {
    const text = await inputOf(model.id, [])
    const automatic = boundOf(model.id, 'auto')
    if (text + automatic + 16 > model.contextLength) continue
    expect([model.id, (await inputOf(model.id, [image(undefined)])) - text]).toEqual([
      model.id,
      automatic,
    ])
    const fixed = boundOf(model.id, 'high') + boundOf(model.id, 'low')
    if (text + fixed + 16 > model.contextLength) continue
    const both = await inputOf(model.id, [image('high'), image('low')])
    expect(both - text).toBe(fixed)
  }
})

/** A PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an image in the request is quoted by its size', async () => {
  const url = `data:image/png;base64,${pixel}`
  const content = [{ type: 'image_url', image_url: { url } }]
  const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content }], max_tokens: 16 }
  const quoted = await quoteChatRequest(body, storefront)
  if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
  expect(quoted.sale.inputTokensAtMost).toBeGreaterThanOrEqual(85 + 170)
  expect(quoted.sale.inputTokensAtMost).toBeLessThan(85 + 170 + 32)
})
