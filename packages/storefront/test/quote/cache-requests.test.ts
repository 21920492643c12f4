import { cacheMarks } from '@farebox/api'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { type ChatSale, quoteChatRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())
const storefront = sellAll(counter)

const claude = 'anthropic/claude-sonnet-4.6'
const text = 'The rules of the house. '.repeat(500)
const short = { type: 'ephemeral' }
const hour = { type: 'ephemeral', ttl: '1h' }

const part = (mark?: object) => ({ type: 'text', text, ...(mark && { cache_control: mark }) })
const tool = (mark: object) => ({
  type: 'function',
  function: { name: 'look' },
  cache_control: mark,
})

const bodyOf = (model: string, ...marks: readonly (object | undefined)[]) => ({
  model,
  max_tokens: 1,
  messages: [{ role: 'user', content: marks.map(part) }],
})

async function sold(body: object): Promise<ChatSale> {
  const quoted = await quoteChatRequest(body, storefront)
  if (quoted.status === 'rejected') throw new Error(quoted.rejection.message)
  return quoted.sale
}

/** How much more than without marks, in percent; all but one token is input. */
async function surcharge(model: string, ...marks: readonly object[]): Promise<number> {
  const plain = await sold(bodyOf(model, ...marks.map(() => undefined)))
  const marked = await sold(bodyOf(model, ...marks))
  expect(marked.inputTokensAtMost).toBe(plain.inputTokensAtMost)
  const ratio = Number(marked.quotes[0].maximum) / Number(plain.quotes[0].maximum)
  return Math.round((ratio - 1) * 100)
}

test('a cache that Claude is asked for is quoted at what writing it costs', async () => {
  expect(await surcharge(claude, short)).toBe(25)
  expect(await surcharge(claude, hour, short)).toBe(100)
})

test('elsewhere a mark has neither price nor effect', async () => {
  expect(await surcharge('openai/gpt-5-mini', hour)).toBe(0)
  const { request } = await sold(bodyOf('openai/gpt-5-mini', hour))
  expect(cacheMarks(request)).toEqual([])
})

test('the marks of Claude are kept, those of tools too', async () => {
  const { request } = await sold({ ...bodyOf(claude, short), tools: [tool(hour)] })
  expect(cacheMarks(request)).toEqual([
    { path: 'tools[0].cache_control', ttl: '1h' },
    { path: 'messages[0].content[0].cache_control', ttl: '5m' },
  ])
})

test.each([
  ['more than four', bodyOf(claude, short, short, short, short, short), 4],
  ['an hour after five minutes', bodyOf(claude, short, hour), 1],
])('%s are rejected by name before they are paid', async (_, body, at) => {
  expect(await quoteChatRequest(body, storefront)).toMatchObject({
    status: 'rejected',
    rejection: { code: 'invalid_field', param: `messages[0].content[${at}].cache_control` },
  })
})
