import { createCatalog, defaultChatModels, defaultImageModel, shippedData } from '@farebox/catalogs'
import { parseUsdc } from '@farebox/money'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import {
  createStorefront,
  DefaultModelError,
  quoteChatRequest,
  type Storefront,
} from '../../src/index.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const catalog = createCatalog({ ...shippedData, now: Date.parse('2026-11-20T12:00:00Z') })
const [first] = defaultChatModels
const lastChat = catalog.chat.at(-1)?.id ?? ''

const terms = { PRICE_BUFFER_BPS: 1000, MARKUP_BPS: 250, MIN_CHARGE_USDC: parseUsdc('0.001') }

function open(
  defaults: { readonly DEFAULT_CHAT_MODEL?: string; readonly DEFAULT_IMAGE_MODEL?: string },
  isSold: Storefront['isSold'] = () => true,
): Storefront {
  return createStorefront({
    settings: { ...terms, ...defaults },
    catalog: () => catalog,
    counter,
    provision: { isSold, unsupportedField: () => undefined },
    quoteLifetimeMs: 0,
    now: Date.now,
  })
}

test('the terms and default models of the settings apply', () => {
  expect(open({ DEFAULT_CHAT_MODEL: lastChat })).toMatchObject({
    terms: { bufferBps: 1000, markupBps: 250, minimumCharge: parseUsdc('0.001') },
    defaultChatModel: lastChat,
    defaultImageModel,
  })
})

test.each([
  [undefined, 100],
  [150, 150],
])('with MAX_MESSAGES %s, a chat request may have %i messages', async (MAX_MESSAGES, most) => {
  const storefront = createStorefront({
    settings: { ...terms, MAX_MESSAGES },
    catalog: () => catalog,
    counter,
    quoteLifetimeMs: 0,
    now: Date.now,
  })
  const messages = Array.from({ length: most }, () => ({ role: 'user', content: 'a' }))
  const body = { model: first, messages }
  expect((await quoteChatRequest(body, storefront)).status).toBe('quoted')
  const more = { model: first, messages: [...messages, messages[0]] }
  expect(await quoteChatRequest(more, storefront)).toMatchObject({
    rejection: { param: 'messages', message: expect.stringContaining(`1 to ${most} messages`) },
  })
})

test('without a setting, the first shipped default that is sold is the default', () => {
  expect(open({}).defaultChatModel).toBe(first)
  const others = open({}, ({ id }) => id !== first)
  expect(others.defaultChatModel).toBe(defaultChatModels[1])
  expect(open({}, ({ id }) => id === lastChat).defaultChatModel).toBe(lastChat)
})

test('a default model that is hidden later is replaced by another that is sold', () => {
  let current = catalog
  const storefront = createStorefront({
    settings: { ...terms, DEFAULT_CHAT_MODEL: lastChat },
    catalog: () => current,
    counter,
    quoteLifetimeMs: 0,
    now: Date.now,
  })
  expect(storefront.defaultChatModel).toBe(lastChat)
  const chat = shippedData.chat.filter(({ id }) => id !== lastChat)
  current = createCatalog({ ...shippedData, chat, now: Date.parse('2026-11-20T12:00:00Z') })
  expect(storefront.defaultChatModel).toBe(first)
})

test('a default model of the settings that no provider serves is an error', () => {
  const opening = () => open({ DEFAULT_IMAGE_MODEL: defaultImageModel }, () => false)
  expect(opening).toThrow(DefaultModelError)
  expect(opening).toThrow(/^DEFAULT_IMAGE_MODEL: no enabled provider serves /)
})
