import { errorCodes } from '@farebox/api'
import { expect, test } from 'vitest'
import { chatOf } from '../support/buy.ts'
import { openGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

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
  expect(errorCodes.shutting_down).toContain('No money moved')
})
