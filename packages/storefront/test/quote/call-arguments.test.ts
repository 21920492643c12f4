import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

test('arguments that the provider cannot parse are refused with the fix', async () => {
  const param = 'messages[1].tool_calls[0].function.arguments'
  const storefront = { ...sellAll(counter), unsupportedField: () => param }
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"cut' } }
  const messages = [
    { role: 'user', content: 'Look' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'failed' },
  ]
  const quoted = await quoteChatRequest({ messages, model: 'openai/gpt-5.2' }, storefront)
  expect(quoted).toMatchObject({
    rejection: {
      code: 'unsupported_field',
      param,
      message: `${param} must be a JSON object of at most 200 levels for openai/gpt-5.2. Correct the call, or choose another model.`,
    },
  })
})
