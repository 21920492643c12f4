import { chatRequestSchema } from '@farebox/api'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { hasToolImages, withToolImagesApart } from '../../src/quote/tool-images.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const results = [
  { role: 'user', content: 'Look' },
  { role: 'assistant', tool_calls: [call('a'), call('b')] },
  { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'see' }, image] },
  { role: 'tool', tool_call_id: 'b', content: [image] },
]
const shown = [
  { role: 'user', content: 'Look' },
  { role: 'assistant' },
  { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'see' }] },
  { role: 'tool', tool_call_id: 'b', content: '' },
]
const images = [
  { type: 'text', text: 'Images in the result of a:' },
  image,
  { type: 'text', text: 'Images in the result of b:' },
  image,
]

test.each([
  ['at the end', [], [{ role: 'user', content: images }]],
  [
    'before a question',
    [{ role: 'user', content: 'Well?' }],
    [{ role: 'user', content: [...images, { type: 'text', text: 'Well?' }] }],
  ],
  [
    'before an answer',
    [
      { role: 'assistant', content: 'A cat' },
      { role: 'user', content: 'Sure?' },
    ],
    [
      { role: 'user', content: images },
      { role: 'assistant', content: 'A cat' },
      { role: 'user', content: 'Sure?' },
    ],
  ],
])('images of results follow them as the user’s: %s', (_, after, expected) => {
  const request = chatRequestSchema.parse({ messages: [...results, ...after] })
  const apart = withToolImagesApart(request)
  expect(apart.messages).toMatchObject([...shown, ...expected])
  expect([hasToolImages(request), hasToolImages(apart)]).toEqual([true, false])
})

const tools = [{ type: 'function', function: { name: 'f' } }]
const body = { messages: results, tools, max_tokens: 16 }

test.each([
  ['anthropic/claude-opus-5', true, true],
  ['openai/gpt-5.2', false, false],
])(
  '%s: images stay in the results if a provider takes them there, and cost either way',
  async (model, isTaken, stay) => {
    const storefront = {
      ...sellAll(counter),
      unsupportedField: (_: unknown, request: Parameters<typeof hasToolImages>[0]) =>
        isTaken || !hasToolImages(request) ? undefined : 'messages[2].content[1]',
    }
    const quoted = await quoteChatRequest({ ...body, model }, storefront)
    if (quoted.status === 'rejected') throw new Error(quoted.rejection.message)
    expect(hasToolImages(quoted.sale.request)).toBe(stay)
    const texts = results.map((message) =>
      Array.isArray(message.content) ? { ...message, content: 'see' } : message,
    )
    const without = await quoteChatRequest({ ...body, messages: texts, model }, storefront)
    if (without.status === 'rejected') throw new Error(without.rejection.message)
    const more = quoted.sale.inputTokensAtMost - without.sale.inputTokensAtMost
    expect(more).toBeGreaterThan(2 * 1_000)
  },
)

test('a model that does not see rejects an image in a result by its place', async () => {
  const model = 'openai/gpt-3.5-turbo-0613'
  const quoted = await quoteChatRequest({ ...body, model }, sellAll(counter))
  expect(quoted).toMatchObject({ rejection: { param: 'messages[2].content[1]' } })
})
