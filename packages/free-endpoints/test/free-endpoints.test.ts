import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { chatEstimateSchema, imageEstimateSchema } from '@farebox/api'
import { createCatalog, defaultChatModels, defaultImageModel, shippedData } from '@farebox/catalogs'
import { createBodyBudget, errorHandler } from '@farebox/http'
import { parseUsd, parseUsdc } from '@farebox/money'
import type { Storefront } from '@farebox/storefront'
import { createTokenCounter } from '@farebox/tokenizer/node'
import express from 'express'
import request from 'supertest'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { type FreeEndpointsOptions, freeEndpoints, freePathMethods } from '../src/index.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const counter = createTokenCounter()
afterAll(() => counter.close())

const catalog = createCatalog({ ...shippedData, now })
const [defaultChatModel] = defaultChatModels

const storefront: Storefront = {
  catalog: () => catalog,
  terms: { bufferBps: 1000, markupBps: 0, minimumCharge: parseUsdc('0.001') },
  counter,
  defaultChatModel,
  defaultImageModel,
  isSold: () => true,
  unsupportedField: () => undefined,
  quoteLifetimeMs: 360_000,
  now: () => now,
}

type Condition = FreeEndpointsOptions['condition']

function app({
  budget = 1 << 28,
  condition = () => ({ status: 'ok' }),
  catalog: current = storefront.catalog,
}: {
  readonly budget?: number
  readonly catalog?: Storefront['catalog']
  readonly condition?: Condition
} = {}) {
  const network = { network: 'eip155:84532', mainnet: false, cdp: 'not configured' }
  return express().use(
    freeEndpoints({
      storefront: { ...storefront, catalog: current },
      network,
      budget: createBodyBudget(budget),
      condition,
    }),
  )
}

const hello = { messages: [{ role: 'user', content: 'Hello, world' }] }

test('/ready lists the issues that keep the service from selling, and no others', async () => {
  const minor = [
    'channels_stopped',
    'refunds_paused',
    'rows_unreadable',
    'provider_key_rejected',
    'models_unavailable',
    'redis_unavailable',
    'operator_files_refused',
  ] as const
  const degraded = (issues: NonNullable<ReturnType<Condition>['issues']>) =>
    app({ condition: () => ({ status: 'degraded', issues }) })
  const ready = await request(degraded([...minor])).get('/ready')
  expect([ready.status, ready.body]).toEqual([200, { ready: true }])
  const stopped = await request(degraded([...minor, 'chain_unavailable'])).get('/ready')
  expect([stopped.status, stopped.body]).toEqual([
    503,
    { ready: false, issues: ['chain_unavailable'] },
  ])
})

describe('POST /v1/estimate', () => {
  test('responds as specified', async () => {
    const { status, body } = await request(app())
      .post('/v1/estimate')
      .send({ ...hello, max_tokens: 100 })
    expect(status).toBe(200)
    const estimate = chatEstimateSchema.strict().parse(body)
    expect(estimate).toMatchObject({ model: defaultChatModel, estimatedOutputTokens: 100 })
    expect(body.estimatedCost.usd).toMatch(/^0\.\d*[1-9]$/)
    expect(body.message).toMatch(/^The same chat request is quoted at this price\./)
    expect(body.estimatedInputTokens).toBeGreaterThan(2)
  })

  test('the explanation adds up to the estimate', async () => {
    const { body } = await request(app())
      .post('/v1/estimate?explain=1')
      .send({ ...hello, max_tokens: 20_000 })
    const sum = body.explanation.reduce(
      (total: bigint, line: { amount_usd: string }) => total + parseUsd(line.amount_usd),
      0n,
    )
    expect(sum).toBe(parseUsd(body.estimatedCost.usd))
    expect(body.explanation.map((line: { label: string }) => line.label)).toEqual(
      expect.arrayContaining(['input', 'output', 'buffer']),
    )
  })

  test('null means absent, and max_completion_tokens is an alias', async () => {
    const { body } = await request(app())
      .post('/v1/estimate')
      .send({ ...hello, max_tokens: null, max_completion_tokens: 7, model: null })
    expect(body).toMatchObject({ model: defaultChatModel, estimatedOutputTokens: 7 })
  })

  test('n multiplies the output', async () => {
    const price = async (n: number) => {
      const { body } = await request(app())
        .post('/v1/estimate')
        .send({ ...hello, max_tokens: 30_000, n, model: 'openai/gpt-4.1-mini' })
      return Number(body.estimatedCost?.usd)
    }
    const [one, four] = [await price(1), await price(4)]
    expect(four).toBeGreaterThan(one * 3.9)
  })

  test.each([
    ['no body', '', 'invalid_json', null],
    ['invalid JSON', '{', 'invalid_json', null],
    ['bad UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_json', null],
    ['a repeated key', '{"messages":[],"messages":[]}', 'invalid_json', null],
    ['an array', '[]', 'invalid_field', null],
    [
      'an unknown model',
      JSON.stringify({ ...hello, model: 'unknown/model' }),
      'model_not_found',
      'model',
    ],
    [
      'a property of Object.prototype',
      JSON.stringify({ ...hello, model: 'constructor' }),
      'model_not_found',
      'model',
    ],
    [
      'more output than the model has',
      JSON.stringify({ ...hello, model: 'openai/gpt-4.1-mini', max_tokens: 128_000 }),
      'max_tokens_exceeded',
      'max_tokens',
    ],
    [
      'tool_choice alone',
      JSON.stringify({ ...hello, tool_choice: 'required' }),
      'invalid_field',
      'tool_choice',
    ],
  ])('%s: %s', async (_, body, code, param) => {
    const { status, body: response } = await request(app())
      .post('/v1/estimate')
      .set('Content-Type', 'application/json')
      .serialize((bytes) => bytes)
      .send(body)
    expect(status).toBe(400)
    expect(response.error).toMatchObject({ type: 'invalid_request_error', code, param })
  })

  test('more input than the context is rejected before the payment', async () => {
    const messages = Array.from({ length: 100 }, () => ({
      role: 'user',
      content: 'word '.repeat(20_000),
    }))
    const { status, body } = await request(app())
      .post('/v1/estimate')
      .send({ messages, model: 'openai/gpt-4.1-mini' })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' })
  })

  test('a body beyond the budget of the process gets 503', async () => {
    const { status, headers } = await request(app({ budget: 10 }))
      .post('/v1/estimate')
      .send(hello)
    expect(status).toBe(503)
    expect(headers['retry-after']).toBe('2')
  })

  test('a body of more than 64 MB is rejected', async () => {
    const server = app().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const headers = { 'content-length': 65 * 1024 * 1024 }
    const sent = send({ port, path: '/v1/estimate', method: 'POST', headers })
    sent.flushHeaders()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const { error } = JSON.parse(await text(answer))
    sent.destroy()
    expect([answer.statusCode, error.code]).toEqual([400, 'body_too_large'])
  })
})

describe('POST /v1/images/estimate', () => {
  test('responds as specified, and identically each time', async () => {
    const ask = () =>
      request(app())
        .post('/v1/images/estimate')
        .send({ width: 512, height: 1024, numberResults: 3 })
    const [first, second] = [await ask(), await ask()]
    expect(first.status).toBe(200)
    expect(imageEstimateSchema.strict().parse(first.body)).toMatchObject({
      model: defaultImageModel,
      dimensions: '512×1024',
      number_of_images: 3,
    })
    expect(second.body).toEqual(first.body)
  })

  test('states what the images are likely to cost in addition to the maximum, and explains the difference', async () => {
    const { body } = await request(app())
      .post('/v1/images/estimate?explain=1')
      .send({ model: 'black-forest-labs/flux.1-schnell' })
    expect(body.estimatedCost.usd).toBe('0.003575')
    expect(body.estimatedCost.note).toContain('likely to cost 0.0013 USD')
    expect(body.explanation.map(({ label }: { readonly label: string }) => label)).toEqual([
      'images',
      'allowance',
      'buffer',
    ])
  })

  test.each([
    [
      { model: 'bytedance/seedream-4.5' },
      'does not make 1024×1024 images: this is the price of 2048×2048',
    ],
    [{ model: 'bytedance/seedream-4.5', width: 2048 }, 'does not make 2048×1024 images'],
    [{ model: 'black-forest-labs/flux.1-schnell' }, undefined],
    [{ model: 'bytedance/seedream-4.5', width: 2048, height: 2048 }, undefined],
  ])('%j: a size other than the default is pointed out', async (fields, text) => {
    const { status, body } = await request(app()).post('/v1/images/estimate').send(fields)
    expect(status).toBe(200)
    if (text === undefined) expect(body.estimatedCost.note).not.toContain('does not make')
    else expect(body.estimatedCost.note).toContain(text)
  })

  test.each([
    [{ width: 100 }, 'INVALID_DIMENSIONS'],
    [{ width: 1000 }, 'INVALID_DIMENSIONS'],
    [{ height: 2112 }, 'INVALID_DIMENSIONS'],
    [{ width: '1024' }, 'INVALID_DIMENSIONS'],
    [{ width: 1024.5 }, 'INVALID_DIMENSIONS'],
    [{ model: 'unknown/model' }, 'INVALID_MODEL'],
    [{ model: 5 }, 'INVALID_MODEL'],
    [{ numberResults: 5 }, 'INVALID_REQUEST'],
    [{ numberResults: 0 }, 'INVALID_REQUEST'],
    [{ steps: 0 }, 'INVALID_REQUEST'],
    [{ frobnicate: 1 }, 'INVALID_REQUEST'],
  ])('%j: %s', async (fields, error) => {
    const { status, body } = await request(app()).post('/v1/images/estimate').send(fields)
    expect({ status, error: body.error }).toEqual({ status: 400, error })
    expect(body.message).toContain(Object.keys(fields)[0])
  })
})

test('GET /v1/health and /health', async () => {
  const timestamp = '2026-11-20T12:00:00.000Z'
  expect((await request(app()).get('/v1/health')).body).toEqual({ status: 'ok', timestamp })
  expect((await request(app()).get('/health')).body).toEqual({
    status: 'ok',
    timestamp,
    network: 'eip155:84532',
    mainnet: false,
    cdp: 'not configured',
  })
})

describe('for the clients of other services', () => {
  test('the counts of both interfaces are that of the estimate', async () => {
    const chat = { model: defaultChatModel, messages: [{ role: 'user', content: 'Hello there' }] }
    const estimate = await request(app()).post('/v1/estimate').send(chat).expect(200)
    const counted = await request(app()).post('/v1/messages/count_tokens').send(chat).expect(200)
    const responses = await request(app())
      .post('/v1/responses/input_tokens')
      .send({ model: defaultChatModel, input: 'Hello there' })
      .expect(200)
    const input_tokens = estimate.body.estimatedInputTokens
    expect(counted.body).toEqual({ input_tokens })
    expect(responses.body).toEqual({ object: 'response.input_tokens', input_tokens })
  })

  test('a count that is refused names the field in the shape of its interface', async () => {
    const { body } = await request(app())
      .post('/v1/messages/count_tokens')
      .send({ model: 'acme/none', messages: [{ role: 'user', content: 'Hello' }] })
      .expect(400)
    expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
  })

  test.each([
    ['no body', '', {}],
    ['invalid JSON', '{', {}],
    ['a repeated key', '{"messages":[],"messages":[]}', {}],
    ['a compressed body', '{}', { 'Content-Encoding': 'gzip' }],
  ])('a count with %s is refused in the shape of its interface', async (_, body, headers) => {
    const ask = (path: string) =>
      request(app())
        .post(path)
        .set({ 'Content-Type': 'application/json', ...headers })
        .serialize((bytes) => bytes)
        .send(body)
        .expect(400)
    const messages = await ask('/v1/messages/count_tokens')
    expect(messages.body).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: expect.any(String),
        details: { error_code: 'invalid_json' },
      },
    })
    const responses = await ask('/v1/responses/input_tokens')
    expect(responses.body.error).toMatchObject({ code: 'invalid_json', param: null })
  })

  test('a count beyond the budget of the process is refused in the shape of its interface', async () => {
    const answer = await request(app({ budget: 10 }))
      .post('/v1/messages/count_tokens')
      .send({ model: defaultChatModel, ...hello })
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2'])
    expect(answer.body).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
  })

  test('a fault is answered in the shape of its interface', async () => {
    const faults: unknown[] = []
    const catalogFault = new Error('no catalog')
    const broken = express()
      .use(
        app({
          catalog: () => {
            throw catalogFault
          },
        }),
      )
      .use(errorHandler((fault) => faults.push(fault), freePathMethods))
    const chat = { model: defaultChatModel, ...hello }
    const messages = await request(broken).post('/v1/messages/count_tokens').send(chat).expect(500)
    expect(messages.body).toEqual({
      type: 'error',
      error: {
        type: 'api_error',
        message: expect.stringContaining('The service failed'),
        details: { error_code: 'internal_error' },
      },
    })
    const estimate = await request(broken).post('/v1/estimate').send(chat).expect(500)
    expect(estimate.body.error).toMatchObject({ type: 'api_error', code: 'internal_error' })
    const images = await request(broken).post('/v1/images/estimate').send({}).expect(500)
    expect(images.body).toEqual({
      error: 'ESTIMATE_ERROR',
      message: expect.stringContaining('The service failed'),
      details: { code: 'internal_error' },
    })
    expect(faults).toEqual([catalogFault, catalogFault, catalogFault])
  })
})
