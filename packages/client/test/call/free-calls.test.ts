import { expect, test } from 'vitest'
import { inTime } from '../../src/http/in-time.ts'
import { chunk, payment } from '../support/bodies.ts'
import { challenge, json, type Script } from '../support/test-gateway.ts'
import { testStage } from '../support/test-stage.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const
const stage = testStage()

const silent: Script = () => undefined

test('a server that asks for a payment for a free call is not paid', async () => {
  const paths = [
    '/v1/estimate',
    '/v1/images/estimate',
    '/v1/models',
    '/v1/images/models',
    '/v1/payments/pay_1',
    '/health',
  ]
  stage.gateway.free = Object.fromEntries(
    paths.map((path) => [path, (response) => challenge(response, stage.gateway.offers)]),
  )
  const client = stage.connect()
  const calls = await Promise.allSettled([
    client.estimate(hello),
    client.images.estimate({}),
    client.models(),
    client.images.models(),
    client.payment('pay_1'),
    client.health(),
  ])
  expect(calls).toEqual(
    Array(paths.length).fill({
      status: 'rejected',
      reason: expect.objectContaining({
        code: 'invalid_response',
        message: 'The server asks for a payment for a free call. Nothing was paid.',
        status: 402,
      }),
    }),
  )
  expect(stage.gateway.arrivals.map(({ path }) => path).sort()).toEqual(paths.sort())
  expect(stage.gateway.arrivals.map(({ signature }) => signature)).toEqual(
    Array(paths.length).fill(undefined),
  )
  expect(client.spent()).toBe(0n)
})

test('a free call without a response in time fails with connection_failed', async () => {
  const limited = inTime(
    { url: 'http://gateway.test/health', signal: undefined, timeoutMs: 1_500 },
    async (signal) =>
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  await expect(limited).rejects.toMatchObject({
    code: 'connection_failed',
    message: 'http://gateway.test did not answer within 1.5 s.',
  })
})

test('waitForRefund gives up in time although the gateway is silent', async () => {
  stage.gateway.free = { '/v1/payments/pay_1': silent }
  await expect(
    stage.connect().waitForRefund('pay_1', { timeoutSeconds: 0.2 }),
  ).rejects.toMatchObject({ code: 'refund_pending', paymentId: 'pay_1' })
})

test('waitForRefund asks again after a restart of the gateway, and after too many requests', async () => {
  const troubles: Script[] = [
    (response) => {
      response.destroy()
    },
    (response) => json(response, 429, { error: 'Too many requests', code: 'RATE_LIMITED' }),
    (response) => json(response, 503, {}),
  ]
  const refund = { usdc: '600', usd: '0.0006', status: 'confirmed', transaction: null }
  stage.gateway.free = {
    '/v1/payments/pay_1': (response, arrival) => {
      const trouble = troubles.shift()
      return trouble === undefined
        ? json(response, 200, { ...payment, refund })
        : trouble(response, arrival)
    },
  }
  expect(await stage.connect().waitForRefund('pay_1')).toMatchObject({
    refund: { status: 'confirmed' },
  })
})

test('waitForRefund can wait without an end', async () => {
  const refund = { usdc: '600', usd: '0.0006', status: 'confirmed', transaction: null }
  stage.gateway.free = {
    '/v1/payments/pay_1': (response) => {
      setTimeout(() => json(response, 200, { ...payment, refund }), 50)
    },
  }
  const waiting = stage.connect().waitForRefund('pay_1', { timeoutSeconds: Infinity })
  await expect(waiting).resolves.toMatchObject({ refund: { status: 'confirmed' } })
}, 5_000)

test('waitForRefund refuses a time that is not a number', async () => {
  stage.gateway.free = { '/v1/payments/pay_1': (response) => json(response, 503, {}) }
  await expect(
    stage.connect().waitForRefund('pay_1', { timeoutSeconds: Number.NaN }),
  ).rejects.toMatchObject({
    code: 'invalid_option',
    message: 'timeoutSeconds must be a number of seconds, 0 or more.',
  })
}, 2_000)

test('a record with a cost of too many digits is not read, and the answer continues', async () => {
  const cost = { usdc: '9'.repeat(79), usd: '1' }
  stage.gateway.paid = [
    stage.stream(
      `: receipt ${JSON.stringify({ ...payment, cost })}`,
      `data: ${JSON.stringify(chunk('Hello.'))}`,
      'data: [DONE]',
    ),
  ]
  const client = stage.connect()
  const stream = await client.chatStream(hello)
  const texts: (string | null | undefined)[] = []
  for await (const part of stream) texts.push(part.choices[0]?.delta.content)
  expect(texts).toEqual(['Hello.'])
  expect(stream.payment()).toBeUndefined()
  const request = { method: 'POST', body: JSON.stringify({ ...hello, stream: true }) }
  const passed = await client.fetch('/v1/chat/completions', request)
  expect(await passed.text()).toContain('Hello.')
})
