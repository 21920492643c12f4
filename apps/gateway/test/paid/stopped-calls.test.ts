import { errorCodes } from '@farebox/api'
import { expect, test } from 'vitest'
import { beginStream, chunk, openUpstream } from '../contract/upstream-server.ts'
import { buy, chatOf, eventsOf } from '../support/buy.ts'
import { openGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

const model = 'openai/gpt-4.1-mini'
const long = '[[sandbox: tokens=5000 tokens_per_second=50]]'
const message = 'The service stopped. What was delivered is billed, the rest refunded.'
const code = 'service_stopped'

/** Streams that take longer than a gateway waits for them, and how each interface ends them. */
const streams = [
  {
    path: chatPath,
    body: chatOf(long, { stream: true, max_tokens: 6000 }),
    end: { error: { message, type: 'api_error', code, param: null } },
  },
  {
    path: '/v1/responses',
    body: { model, stream: true, max_output_tokens: 6000, input: long },
    end: { type: 'response.failed', response: { error: { code, message } } },
  },
  {
    path: '/v1/messages',
    body: {
      model,
      stream: true,
      max_tokens: 6000,
      messages: [{ role: 'user', content: long }],
    },
    end: { type: 'error', error: { type: 'api_error', message } },
  },
]

test('a stream that a stopping gateway breaks off ends with its own code', async () => {
  const gateway = await openGateway()
  const begun = streams.map(async ({ path, body }, payer) => {
    const { v2 } = await signPayment(gateway, payer, { path, body })
    return await post(gateway, path, { body, headers: v2 })
  })
  const responses = await Promise.all(begun)
  const texts = responses.map((response) => response.text())
  await gateway.stop()
  const ends = (await Promise.all(texts)).map((text) => {
    const last = /\ndata: (.*)\n\n$/.exec(text)?.[1]
    return JSON.parse(last ?? 'null') as unknown
  })
  expect(ends).toMatchObject(streams.map(({ end }) => end))
  // No money moved for what is refused while the gateway stops; here some did.
  expect(errorCodes.service_stopped).toContain('billed')
  expect(errorCodes.shutting_down).toContain('This request moved no money')
})

const never = '[[sandbox: first_token_ms=60000]]'
const noImage = '[[sandbox: slow_first_byte=60000]]'
const error = { type: 'service_unavailable', code }

/** Requests that are not answered before the gateway stops, and the answers to them. */
const unanswered = [
  { path: chatPath, body: chatOf(never), answer: { error } },
  { path: chatPath, body: chatOf(long, { max_tokens: 6000 }), answer: { error } },
  { path: '/v1/responses', body: { model, input: never }, answer: { error } },
  {
    path: '/v1/messages',
    body: { model, max_tokens: 100, messages: [{ role: 'user', content: never }] },
    answer: { type: 'error', error: { type: 'overloaded_error', details: { error_code: code } } },
  },
  {
    path: imagePath,
    body: { prompt: noImage },
    answer: { error: 'GENERATION_ERROR', details: { code } },
  },
  { path: '/v1/images/generations', body: { prompt: noImage }, answer: { error } },
]

test('what a stopping gateway has not answered is refunded, with the same code', async () => {
  const gateway = await openGateway()
  const asked = unanswered.map(async ({ path, body }, payer) => {
    const response = await buy(gateway, payer, { path, body })
    return [response.status, await response.json()]
  })
  await expect.poll(() => gateway.sandbox?.requests.length).toBe(unanswered.length)
  await gateway.stop()
  const refunded = { status: 'failed', cost: { usdc: '0' } }
  expect(await Promise.all(asked)).toMatchObject(
    unanswered.map(({ answer }) => [503, { ...answer, payment: refunded }]),
  )
})

test('a stream that has only begun when the gateway stops costs nothing', async () => {
  const upstream = await openUpstream({
    begin: (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: '' }))
    },
  })
  const key = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url }
  const gateway = await openGateway(key)
  const response = await buy(gateway, 0, { body: chatOf('begin', { stream: true }) })
  const text = response.text()
  await gateway.stop()
  upstream.close()
  const [end] = eventsOf(await text).slice(-1)
  expect(JSON.parse(end ?? '')).toMatchObject({ error, payment: { cost: { usdc: '0' } } })
})
