import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { pino } from 'pino'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createMetrics } from '../../src/observe/metrics.ts'
import { createRequestLog } from '../../src/observe/request-log.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, post, signPayment } from '../support/sign-payment.ts'

const lines: string[] = []
const logger = pino({ base: null }, { write: (line: string) => lines.push(line) })
let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({}, logger)
})
afterAll(() => gateway.stop())

type Line = { readonly event: string } & Readonly<Record<string, unknown>>

/** The line of a request, which is written when its response has been closed. */
async function lineOf(id: string | null): Promise<Line> {
  const find = (): Line => {
    const found = lines.map((line) => JSON.parse(line) as Line)
    const line = found.find(({ event, requestId }) => event === 'request' && requestId === id)
    if (line === undefined) throw new Error(`no line for ${id}`)
    return line
  }
  // On a busy machine, the second that `waitFor` has by itself is not enough.
  return vi.waitFor(find, { timeout: 60_000 })
}

test('a long path is cut, so that a line stays short', async () => {
  const path = `/${'a'.repeat(9_000)}`
  const response = await fetch(gateway.url + path)
  expect(response.status).toBe(404)
  const line = await lineOf(response.headers.get('x-request-id'))
  expect(line['path']).toBe(`${path.slice(0, 256)}…`)
})

test('a paid call has its payment, model, provider, tokens and times in one line', async () => {
  const secret = 'a replay secret'
  const text = 'Words that must not be in a log.'
  const sold = await buy(gateway, 0, { body: chatOf(text, { stream: true }) })
  const completion = await sold.text()
  const line = await lineOf(sold.headers.get('x-request-id'))
  const { usage } = await gateway.record(sold.headers.get('x-payment-id') ?? '')
  expect(line).toEqual({
    level: 30,
    time: expect.any(Number) as number,
    event: 'request',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    method: 'POST',
    path: chatPath,
    status: 200,
    paymentId: sold.headers.get('x-payment-id'),
    model: 'openai/gpt-4.1-mini',
    provider: 'sandbox',
    inputTokens: usage?.['inputTokens'],
    outputTokens: usage?.['outputTokens'],
    firstTokenMs: expect.any(Number) as number,
    ms: expect.any(Number) as number,
    client: '127.0.0.1',
  })
  expect(line['firstTokenMs']).toBeGreaterThan(0)
  expect(line['firstTokenMs']).toBeLessThanOrEqual(line['ms'] as number)

  await post(gateway, chatPath, { body: chatOf(text), headers: { 'X-Replay-Secret': secret } })
  const { access } = gateway
  const written = lines.join('')
  for (const hidden of [text, secret, access.treasuryKey, access.relayerKey ?? '']) {
    expect(written).not.toContain(hidden)
  }
  expect(completion).toContain('sandbox')
  expect(written).not.toContain('Farebox sandbox')
  expect(written).not.toMatch(/0x[0-9a-f]{130}/i)
})

test('a request that is not paid has no payment and no provider', async () => {
  const quoted = await post(gateway, chatPath, { body: chatOf('Hello.') })
  const line = await lineOf(quoted.headers.get('x-request-id'))
  expect(line).toMatchObject({ status: 402, model: 'openai/gpt-4.1-mini' })
  expect(Object.keys(line)).not.toContain('paymentId')
  expect(Object.keys(line)).not.toContain('provider')
  expect(Object.keys(line)).not.toContain('reason')
})

const unfunded = { account: () => privateKeyToAccount(generatePrivateKey()) }
const unknownModel = { model: 'no/such' }

test.each<readonly [string, number, string, () => Promise<Response>]>([
  [
    'a payer without money',
    402,
    'invalid_exact_evm_insufficient_balance',
    async () => {
      const body = chatOf('Hello.')
      const { v2 } = await signPayment({ ...unfunded, url: gateway.url }, 0, { body })
      return post(gateway, chatPath, { body, headers: v2 })
    },
  ],
  [
    'a payment that cannot be read',
    402,
    'invalid_payment',
    () => post(gateway, chatPath, { body: chatOf('Hello.'), headers: { 'X-PAYMENT': 'garbage' } }),
  ],
  [
    'a provider that fails',
    503,
    'upstream_unavailable',
    () => buy(gateway, 0, { body: chatOf('[[sandbox: status=503]]') }),
  ],
  [
    'an unknown model',
    400,
    'model_not_found',
    () => post(gateway, chatPath, { body: { ...chatOf('Hello.'), ...unknownModel } }),
  ],
  [
    'an unknown model in Messages, whose errors have no code',
    400,
    'model_not_found',
    () => post(gateway, '/v1/messages', { body: { ...chatOf('Hello.'), ...unknownModel } }),
  ],
  [
    'an unknown model of images',
    400,
    'INVALID_MODEL',
    () => post(gateway, imagePath, { body: { prompt: 'A fare box', ...unknownModel } }),
  ],
  ['an unknown path', 404, 'not_found', () => post(gateway, '/v1/nothing', { body: {} })],
])('the line of %s has the reason of its %i: %s', async (_, status, reason, send) => {
  const response = await send()
  const line = await lineOf(response.headers.get('x-request-id'))
  expect(line).toMatchObject({ status, reason })
  expect(JSON.stringify(line)).not.toMatch(/garbage|sandbox: |0x[0-9a-f]{40}/i)
})

test('a failure that is sent again has its reason again', async () => {
  const body = chatOf('[[sandbox: status=500]] once more')
  const { v2: headers } = await signPayment(gateway, 0, { body })
  for (const _ of ['failed', 'replayed']) {
    const response = await post(gateway, chatPath, { body, headers })
    const line = await lineOf(response.headers.get('x-request-id'))
    expect(line).toMatchObject({ status: 503, reason: 'upstream_unavailable' })
  }
})

test('the line of a client that disconnects has cut: true', async () => {
  const headers = { 'X-Request-Id': 'leaver-0001', 'Content-Length': 100, Expect: '100-continue' }
  const call = request(gateway.url + chatPath, { method: 'POST', headers })
  call.on('error', () => undefined)
  call.flushHeaders()
  await once(call, 'continue')
  call.destroy()
  expect(await lineOf('leaver-0001')).toMatchObject({ cut: true })
})

test.each([
  ['the id of a trusted proxy is kept', 'f2a9-01J_Z.7', 'f2a9-01J_Z.7'],
  ['an id that is too short is replaced', 'short', undefined],
  ['an id with other characters is replaced', 'id with "quotes"', undefined],
  ['an id that is too long is replaced', 'a'.repeat(129), undefined],
])('%s', async (_, given, kept) => {
  const answer = await fetch(`${gateway.url}/v1/health`, { headers: { 'X-Request-Id': given } })
  const id = answer.headers.get('x-request-id')
  if (kept === undefined) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  else expect(id).toBe(kept)
})

/** What an app answers whose requests are logged, with `/assets` mounted. */
async function answerOf(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const app = express().set('trust proxy', ['192.0.2.1'])
  const end: express.RequestHandler = (_, response) => {
    response.end()
  }
  app.use(createRequestLog({ logger, metrics: createMetrics(), network: 'devnet' }).handler)
  app.use('/assets', end).use(end)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  server.close()
  return answer
}

test('an id from elsewhere is replaced', async () => {
  const answer = await answerOf('/', { 'X-Request-Id': 'forged-by-a-client' })
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('the path of a line is whole, also where a router is mounted', async () => {
  const answer = await answerOf('/assets/site.css?v=1')
  const line = await lineOf(answer.headers.get('x-request-id'))
  expect(line['path']).toBe('/assets/site.css')
})
