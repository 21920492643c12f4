import { shippedCatalog } from '@farebox/catalogs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { imageInputTokens } from '../../src/quote/image-input-tokens.ts'
import { now, sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())
const storefront = sellAll(counter)

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
  expect(imageInputTokens({ id }, undefined)).toBeGreaterThanOrEqual(automatic)
  expect(imageInputTokens({ id }, 'auto')).toBe(imageInputTokens({ id }, undefined))
  expect(imageInputTokens({ id }, 'high')).toBeGreaterThanOrEqual(fixed)
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
    const automatic = imageInputTokens(model, 'auto')
    if (text + automatic + 16 > model.contextLength) continue
    expect([model.id, (await inputOf(model.id, [image(undefined)])) - text]).toEqual([
      model.id,
      automatic,
    ])
    const fixed = 2 * imageInputTokens(model, 'high')
    if (text + fixed + 16 > model.contextLength) continue
    const both = await inputOf(model.id, [image('high'), image('low')])
    expect(both - text).toBe(fixed)
  }
})
