import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter({ workers: 1 })
afterAll(() => counter.close())
const storefront = sellAll(counter)
const ask = (fields: object) =>
  quoteChatRequest(
    { model: 'cohere/command-r-08-2024', messages: [{ role: 'user', content: 'hi' }], ...fields },
    storefront,
  )

test.each(['max_tokens', 'max_completion_tokens'])(
  '%s above the output limit of a model is refused by its name, with the limit',
  async (param) => {
    expect(await ask({ [param]: 4096 })).toEqual({
      status: 'rejected',
      rejection: {
        code: 'max_tokens_exceeded',
        param,
        message: `${param} is 4096, and the output of cohere/command-r-08-2024 is at most 4000 tokens. Set it to 4000 or less.`,
      },
    })
    expect(await ask({ [param]: 4000 })).toMatchObject({ status: 'quoted' })
  },
)

test('the default is lowered to the limit', async () => {
  expect(await ask({})).toMatchObject({ status: 'quoted', sale: { maxTokens: 4000 } })
})

test('the default is 4,096 for a model that writes more', async () => {
  const quoted = await ask({ model: 'openai/gpt-4.1' })
  expect(quoted).toMatchObject({ status: 'quoted', sale: { maxTokens: 4096 } })
})
