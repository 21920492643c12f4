import { parsePaymentId } from '@farebox/ledger'
import { picodollars, toUsd } from '@farebox/money'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLossMonitor } from '../../src/observe/loss-monitor.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

test('a sale below what the provider bills is logged and counted once', async () => {
  const lines: string[] = []
  const metrics = createMetrics()
  const monitor = createLossMonitor(pino({}, { write: (line) => lines.push(line) }), metrics)
  const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
  const { v2 } = await signPayment(gateway, 0, { body })
  const response = await post(gateway, chatPath, { body, headers: v2 })
  const id = parsePaymentId(response.headers.get('x-payment-id') ?? '')
  const payment = id && (await gateway.store.load(id))
  if (payment === undefined) throw new Error('no payment')

  const paid = toUsd(payment.authorization.value)
  monitor(payment, paid)
  expect(lines).toEqual([])
  monitor(payment, picodollars(paid + 1n))
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { level: 40, event: 'sold_at_loss', paymentId: payment.id, model: 'openai/gpt-4o' },
  ])
  expect(await metrics.registry.metrics()).toContain(
    'farebox_payment_events_total{event="sold_at_loss"} 1',
  )
})
