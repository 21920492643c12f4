import { errorSchema } from '@farebox/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buy, chatOf, eventsOf } from '../support/buy.ts'
import { openGateway, type PublicRecord, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, imagePath, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const pay = (payer: number, body: unknown, path: string = chatPath): Promise<Response> =>
  buy(gateway, payer, { body, path })

/** A model of which thirty tokens cost more than the minimum charge: $30 and $60 a million. */
const dear = 'openai/gpt-4'

/** The cost of the counted usage at the rates of the dear model, in atomic units. */
function dearCost({ usage }: PublicRecord): bigint {
  return (
    30n * BigInt(String(usage?.['inputTokens'])) + 60n * BigInt(String(usage?.['outputTokens']))
  )
}

async function expectFullRefund(response: Response, payer: number, before: bigint): Promise<void> {
  const record = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
  expect(record).toMatchObject({ status: 'failed', cost: { usdc: '0' } })
  expect(record.refund?.usdc).toBe(record.paid.usdc)
  expect(await gateway.balance(gateway.payer(payer).address)).toBe(before)
}

describe('an upstream failure before the first byte', () => {
  test.each([
    ['status=500', 503, 'upstream_unavailable'],
    ['status=401', 503, 'upstream_unavailable'],
    ['status=402', 503, 'upstream_unavailable'],
    ['status=429', 503, 'upstream_unavailable'],
    ['status=400', 500, 'upstream_rejected'],
    ['close_before_headers', 503, 'upstream_unavailable'],
    ['html', 503, 'upstream_unavailable'],
  ])('%s: %s and a full refund', async (fault, status, code) => {
    const before = await gateway.balance(gateway.payer(6).address)
    const response = await pay(6, chatOf(`[[sandbox: ${fault}]]`, { stream: true, seed: status }))
    expect(response.status).toBe(status)
    expect(response.headers.get('x-should-retry')).toBe('false')
    const body = errorSchema.parse(await response.json())
    expect(body.error.code).toBe(code)
    expect(body.error.message).toContain(response.headers.get('x-payment-id'))
    expect(body.error.message).toMatch(/refund/)
    await expectFullRefund(response, 6, before)
  })

  test.each([
    ['error_event_after=0', 'The provider failed.'],
    ['error_event_after=5', 'The provider failed.'],
    ['end_after=5', 'The provider broke off its response.'],
  ])('%s, without a stream: "%s" and a full refund', async (fault, text) => {
    const before = await gateway.balance(gateway.payer(6).address)
    const response = await pay(6, chatOf(`[[sandbox: ${fault}]]`))
    expect(response.status).toBe(503)
    const { error } = errorSchema.parse(await response.json())
    expect(error.code).toBe('upstream_unavailable')
    expect(error.message).toContain(text)
    await expectFullRefund(response, 6, before)
  })

  test('an image that is not delivered is refunded in full', async () => {
    const before = await gateway.balance(gateway.payer(7).address)
    const response = await pay(7, { prompt: '[[sandbox: status=500]]' }, imagePath)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: 'GENERATION_ERROR' })
    await expectFullRefund(response, 7, before)
  })
})

describe('a provider that is silent at first', () => {
  test('the stream is kept alive after ten seconds, and a failure then is its last event', async () => {
    const silent = (instruct: string) =>
      chatOf(`[[sandbox: slow_first_byte=10500 ${instruct}]]`, { stream: true })
    const before = await gateway.balance(gateway.payer(12).address)
    const [failed, served] = await Promise.all([
      pay(12, silent('status=500')),
      pay(13, silent('tokens=5')),
    ])
    for (const response of [failed, served]) {
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
    }
    const text = await served.text()
    expect(text).toMatch(/^: keep-alive\n\ndata: /)
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    const [comment, last, ...rest] = (await failed.text()).split('\n\n')
    expect([comment, ...rest]).toEqual([': keep-alive', ''])
    const body = errorSchema.parse(JSON.parse(last?.replace(/^data: /, '') ?? ''))
    expect(body.error.code).toBe('upstream_unavailable')
    await expectFullRefund(failed, 12, before)
  }, 40_000)
})

describe('a stream that breaks', () => {
  test.each(['cut_after=50', 'cut_inside_event=50', 'end_after=50', 'error_event_after=50'])(
    '%s: ends with an error event and without [DONE], and only what was delivered is billed',
    async (fault) => {
      const before = await gateway.balance(gateway.payer(8).address)
      const response = await pay(
        8,
        chatOf(`[[sandbox: tokens=200 ${fault}]]`, { model: dear, stream: true }),
      )
      const text = await response.text()
      const all = eventsOf(text)
      expect(all).not.toContain('[DONE]')
      expect(JSON.parse(all.at(-1) ?? '{}')).toEqual({
        error: {
          message:
            'The provider ended the response early. What was delivered is billed, the rest refunded.',
          type: 'api_error',
          code: 'upstream_truncated',
          param: null,
        },
      })
      const record = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
      expect(record.status).toBe('completed')
      expect(record.usage).toMatchObject({ source: 'counted' })
      expect(Number(record.usage?.['outputTokens'])).toBeGreaterThan(40)
      expect(Number(record.usage?.['outputTokens'])).toBeLessThan(70)
      const cost = dearCost(record)
      expect(BigInt(record.cost?.usdc ?? '0')).toBe(cost)
      expect(BigInt(record.refund?.usdc ?? '0')).toBe(BigInt(record.paid.usdc) - cost)
      expect(await gateway.balance(gateway.payer(8).address)).toBe(
        before - BigInt(record.cost?.usdc ?? '0'),
      )
    },
  )

  test('a client that disconnects ends the upstream call and pays for what was delivered', async () => {
    const body = chatOf('[[sandbox: label=leaver tokens=5000 tokens_per_second=50]]', {
      model: dear,
      stream: true,
      max_tokens: 6000,
    })
    const { v2 } = await signPayment(gateway, 9, { body })
    const leaving = new AbortController()
    const response = await fetch(gateway.url + chatPath, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...v2 },
      body: JSON.stringify(body),
      signal: leaving.signal,
    })
    const reader = response.body?.getReader()
    for (let chunks = 0; chunks < 30; chunks += 1) await reader?.read()
    leaving.abort()
    const record = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
    expect(record.usage).toMatchObject({ source: 'counted' })
    expect(Number(record.usage?.['outputTokens'])).toBeGreaterThan(20)
    expect(Number(record.usage?.['outputTokens'])).toBeLessThan(1000)
    expect(BigInt(record.cost?.usdc ?? '0')).toBe(dearCost(record))
    expect(gateway.sandbox?.requests.find((request) => request.label === 'leaver')).toMatchObject({
      outcome: 'aborted',
    })
  })

  test.each([
    ['no_usage', 'counted'],
    ['usage={}', 'counted'],
  ])('%s is billed by our own count', async (fault, source) => {
    const response = await pay(10, chatOf(`[[sandbox: ${fault}]]`, { stream: true }))
    await response.text()
    const record = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
    expect(record.usage).toMatchObject({ source })
    expect(Number(record.usage?.['outputTokens'])).toBeGreaterThan(5)
  })
})
