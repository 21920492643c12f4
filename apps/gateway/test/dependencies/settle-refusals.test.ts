import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PaymentNotice } from '@farebox/payments'
import { expect, onTestFinished, test } from 'vitest'
import { createSettleRefusals } from '../../src/dependencies/settle-refusals.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway } from '../support/open-gateway.ts'

test('a gateway whose facilitator refuses its key only when it settles stops selling', async () => {
  const facilitator = createServer((request, response) => {
    request.resume()
    response.writeHead(request.url === '/settle' ? 401 : 200).end('{}')
  })
  await new Promise<void>((resolve) => facilitator.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void facilitator.close())
  const { port } = facilitator.address() as AddressInfo
  const gateway = await openGateway({ FACILITATOR_URL: `http://127.0.0.1:${port}` })
  onTestFinished(() => gateway.stop())
  const body = chatOf('hi')
  const bought = await Promise.all([0, 1].map((payer) => buy(gateway, payer, { body })))
  for (const answer of bought) {
    expect(await answer.json()).toMatchObject({ error: { code: 'settlement_unknown' } })
  }
  const health = async () => await (await fetch(`${gateway.url}/health`)).json()
  await expect
    .poll(health)
    .toMatchObject({ status: 'degraded', issues: ['facilitator_unavailable'] })
  const refused = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(refused.status).toBe(503)
})

const unknown = (reason: string) =>
  ({ type: 'payment_unknown', payment: {}, reason }) as PaymentNotice
const settled = { type: 'payment_settled', payment: {} } as PaymentNotice

test('a rejected key stops sales for a minute, and again if the next payment is rejected too', () => {
  const time = { now: 0 }
  const { observe, check } = createSettleRefusals(() => time.now)
  observe(unknown('facilitator_http_401'))
  observe(unknown('facilitator_timeout'))
  expect(check()).toEqual({ status: 'ok' })
  observe(unknown('facilitator_http_401'))
  expect(check()).toMatchObject({ status: 'unavailable', reason: expect.stringContaining('401') })
  time.now = 60_000
  expect(check()).toEqual({ status: 'ok' })
  observe(unknown('facilitator_http_401'))
  expect(check()).toMatchObject({ status: 'unavailable' })
  observe(settled)
  expect(check()).toEqual({ status: 'ok' })
})

test('payers whom a facilitator refuses do not stop sales', () => {
  const { observe, check } = createSettleRefusals(() => 0)
  for (let payer = 0; payer < 5; payer += 1) observe(unknown('facilitator_http_403'))
  expect(check()).toEqual({ status: 'ok' })
})
