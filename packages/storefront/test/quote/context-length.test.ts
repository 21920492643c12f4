import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

// What is counted is up to the context's length, not to the speed of the machine.
const counter = createTokenCounter({ workers: 1, cpuMilliseconds: 600_000 })
afterAll(() => counter.close())
const storefront = sellAll(counter)

const model = 'openai/gpt-4o-mini'
const contextLength = storefront.catalog().findChatModel(model)?.contextLength ?? 0

/** Letters without a word in them: the most expensive text to count. */
function letters(length: number, seed: number): string {
  let state = seed
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return String.fromCharCode(97 + ((state >> 16) % 26))
  }).join('')
}

const ask = (contents: readonly string[], maxTokens: number) =>
  quoteChatRequest(
    {
      model,
      max_tokens: maxTokens,
      messages: contents.map((content) => ({ role: 'user', content })),
    },
    storefront,
  )

test('a request of ten million letters is refused before it is counted in full', async () => {
  const text = letters(99_998, 1)
  const quoted = await ask(
    Array.from({ length: 99 }, (_, index) => `${index}${text}`),
    1,
  )
  expect(quoted).toMatchObject({
    status: 'rejected',
    rejection: { code: 'context_length_exceeded', param: 'messages' },
  })
  const message = quoted.status === 'rejected' ? quoted.rejection.message : ''
  const counted = Number(/^messages have at least (\d+) tokens/.exec(message)?.[1])
  expect(counted).toBeGreaterThan(contextLength - 1)
  expect(counted).toBeLessThan(2 * contextLength)
})

test('a request that just fits the context is quoted, and one token more is refused', async () => {
  const contents = [letters(100_000, 1), letters(80_000, 2)]
  const free = await ask(contents, 1)
  const input = free.status === 'quoted' ? free.sale.inputTokens : 0
  expect(input).toBeGreaterThan(80_000)
  const most = storefront.catalog().findChatModel(model)?.maxOutputTokens ?? 0
  const room = contextLength - input
  const filler = 'word '.repeat(Math.max(0, room - most))
  const all = filler === '' ? contents : [...contents, filler]
  const base = await ask(all, 1)
  const tokens = base.status === 'quoted' ? base.sale.inputTokens : 0
  const fits = await ask(all, contextLength - tokens)
  expect(fits).toMatchObject({ status: 'quoted', sale: { inputTokens: tokens } })
  expect(await ask(all, contextLength - tokens + 1)).toMatchObject({
    status: 'rejected',
    rejection: { code: 'context_length_exceeded' },
  })
})
