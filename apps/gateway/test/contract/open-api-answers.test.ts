import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buy } from '../support/buy.ts'
import { type DocumentCheck, openDocumentCheck } from '../support/document-check.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post } from '../support/sign-payment.ts'

let gateway: TestGateway
let document: DocumentCheck
beforeAll(async () => {
  gateway = await openGateway()
  document = await openDocumentCheck(gateway.url)
})
afterAll(() => gateway.stop())

const model = 'openai/gpt-4.1-mini'
const chat = (text: string) => ({
  model,
  max_tokens: 500,
  messages: [{ role: 'user', content: text }],
})
const response = (text: string) => ({ model, max_output_tokens: 500, input: text })
const image = (prompt: string) => ({ prompt })

/** Each paid path, with a request of a text and its own payer. */
const paid: readonly (readonly [path: string, body: (text: string) => object, payer: number])[] = [
  [chatPath, chat, 0],
  ['/v1/responses', response, 1],
  ['/v1/messages', chat, 2],
  [imagePath, image, 3],
  ['/v1/images/generations', image, 4],
]

const posted = [
  ...paid.map(([path]) => path),
  '/v1/estimate',
  '/v1/images/estimate',
  '/v1/responses/input_tokens',
  '/v1/messages/count_tokens',
]

const get = (path: string) => fetch(gateway.url + path)

test.each([
  ['/v1/models', '/v1/models'],
  ['/v1/models/{id}', `/v1/models/${model}`],
  ['/v1/models/{id}', '/v1/models/acme/none'],
  ['/v1/images/models', '/v1/images/models'],
  ['/v1/health', '/v1/health'],
  ['/health', '/health'],
  ['/ready', '/ready'],
  ['/v1/payments/{id}', '/v1/payments/pay_none'],
  ['/v1/channel', '/v1/channel'],
  ['/v1/channels/{id}', '/v1/channels/none'],
])('GET %s is described, as %s', async (path, asked) => {
  await document.expectDescribed(path, await get(asked))
})

test.each([
  ['/v1/estimate', chat('Hello')],
  ['/v1/estimate?explain=1', chat('Hello')],
  ['/v1/images/estimate', image('A fare box')],
  ['/v1/images/estimate?explain=1', image('A fare box')],
  ['/v1/responses/input_tokens', response('Hello')],
  ['/v1/messages/count_tokens', { model, messages: chat('Hello').messages }],
])('POST %s is described', async (asked, body) => {
  const answer = await post(gateway, asked, { body })
  expect(answer.status).toBe(200)
  await document.expectDescribed(asked.replace(/\?.*/, ''), answer)
})

describe('refusals are described', () => {
  test.each(posted)('400 of %s', async (path) => {
    for (const body of [
      '{',
      '[]',
      { frobnicate: 1 },
      { ...chat('Hello'), ...image('x'), model: 5 },
    ]) {
      const answer = await post(gateway, path, { body })
      expect(answer.status).toBe(400)
      await document.expectDescribed(path, answer)
    }
  })

  test('405 of every path, with its methods', async () => {
    for (const path of document.paths) {
      const asked = gateway.url + path.replace('{id}', 'none')
      const answer = await fetch(asked, { method: 'PATCH' })
      expect([path, answer.status]).toEqual([path, 405])
      expect(answer.headers.get('allow')?.split(', ')).toEqual(
        expect.arrayContaining([...document.methodsOf(path)]),
      )
      await document.expectDescribed(path, answer)
    }
  })

  test.each(paid)('402 of %s, with the price or without a valid payment', async (path, body) => {
    for (const headers of [{}, { 'X-PAYMENT': 'none' }]) {
      const answer = await post(gateway, path, { body: body('Hello'), headers })
      expect(answer.status).toBe(402)
      await document.expectDescribed(path, answer)
    }
  })
})

describe('paid answers are described', () => {
  test.each(paid)('200 of %s, and its payment', async (path, body, payer) => {
    const answer = await buy(gateway, payer, { path, body: body('Hello') })
    expect(answer.status).toBe(200)
    await document.expectDescribed(path, answer)
    const id = answer.headers.get('x-payment-id') ?? ''
    await document.expectDescribed('/v1/payments/{id}', await get(`/v1/payments/${id}`))
    await gateway.refunded(id)
    await document.expectDescribed('/v1/payments/{id}', await get(`/v1/payments/${id}`))
  })

  test.each(paid.filter(([path]) => !path.includes('images')))(
    'a stream of %s, whole and broken',
    async (path, body, payer) => {
      for (const text of ['Hello', '[[sandbox: tokens=200 cut_after=50]]']) {
        const answer = await buy(gateway, payer, { path, body: { ...body(text), stream: true } })
        expect([answer.status, answer.headers.get('content-type')]).toEqual([
          200,
          expect.stringContaining('text/event-stream'),
        ])
        await document.expectDescribed(path, answer)
      }
    },
  )

  test.each(paid)('500 and 503 of %s, after a full refund', async (path, body, payer) => {
    for (const [fault, status] of [
      ['status=400', 500],
      ['status=500', 503],
    ] as const) {
      const answer = await buy(gateway, payer, { path, body: body(`[[sandbox: ${fault}]]`) })
      expect(answer.status).toBe(status)
      expect(await document.expectDescribed(path, answer)).toContain('"payment"')
    }
  })
})
