import { shippedData } from '@farebox/catalogs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { quoteChatRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const messages = [{ role: 'user', content: 'hi' }]

test.each([
  ['openai/gpt-4.1-mini', 'openai/gpt-4.1-mini'],
  ['gpt-4.1-mini', 'openai/gpt-4.1-mini'],
  ['OpenAI/GPT-4.1-Mini', 'openai/gpt-4.1-mini'],
  ['gpt-5-2025-08-07', 'openai/gpt-5'],
  ['openai/gpt-5-2025-08-07', 'openai/gpt-5'],
  ['gpt-4o-2024-05-13', 'openai/gpt-4o-2024-05-13'],
  ['models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
  ['gemini/gemini-2.5-flash', 'google/gemini-2.5-flash'],
  ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4.5'],
  ['anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
  ['openrouter/openai/gpt-5-mini', 'openai/gpt-5-mini'],
])('the name %s means %s', async (model, id) => {
  const quoted = await quoteChatRequest({ model, messages }, sellAll(counter))
  expect(quoted).toMatchObject({ status: 'quoted', sale: { model: { id } } })
})

test('every short name means the model that has it, or is rejected with all that do', async () => {
  const storefront = sellAll(counter)
  const ids = shippedData.chat.map(({ id }) => id)
  const shortOf = (id: string): string => id.slice(id.indexOf('/') + 1).toLowerCase()
  for (const short of new Set(ids.map(shortOf))) {
    if (ids.includes(short)) continue
    const holders = ids.filter((id) => shortOf(id) === short)
    const quoted = await quoteChatRequest({ model: short, messages }, storefront)
    if (holders.length === 1) expect(quoted).toMatchObject({ sale: { model: { id: holders[0] } } })
    else if (quoted.status === 'quoted') expect.fail(`${short} is ambiguous`)
    else for (const id of holders) expect(quoted.rejection.message).toContain(id)
  }
})

test('an ambiguous name is rejected with the models that it may mean', async () => {
  const [first] = shippedData.chat
  if (first === undefined) throw new Error('the catalog is empty')
  const twins = ['maker-a/twin', 'maker-b/twin'].map((id) => ({ ...first, id }))
  const storefront = sellAll(counter, { ...shippedData, chat: [...shippedData.chat, ...twins] })
  expect(await quoteChatRequest({ model: 'twin', messages }, storefront)).toEqual({
    status: 'rejected',
    rejection: {
      code: 'model_not_found',
      param: 'model',
      message: 'The model "twin" may be any of maker-a/twin, maker-b/twin. Use one of these ids.',
    },
  })
})

test('a name of no model is rejected with the place where it stands and the list of models', async () => {
  const storefront = sellAll(counter, shippedData)
  const list = 'GET /v1/models lists the models that are.'
  const known = shippedData.chat[0]?.id
  const rejections = [
    [{ model: 'no/such', messages }, `The model "no/such" is not sold here. ${list}`],
    [
      { model: known, models: ['no/such'], messages },
      `The model "no/such" of models[0] is not sold here. ${list}`,
    ],
  ] as const
  for (const [body, message] of rejections)
    expect(await quoteChatRequest(body, storefront)).toMatchObject({ rejection: { message } })
})

test.each(['', 'gpt', 'constructor', 'models/', 'no/such-2025-08-07'])(
  '%j names no model',
  async (model) => {
    expect(await quoteChatRequest({ model, messages }, sellAll(counter))).toMatchObject({
      status: 'rejected',
      rejection: { param: 'model' },
    })
  },
)
