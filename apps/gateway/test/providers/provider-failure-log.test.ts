import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buy } from '../support/buy.ts'
import { openRoutedGateway, type RoutedGateway, routedModel, routesTo } from './routed-gateway.ts'

const lines: Record<string, unknown>[] = []
const logger = pino(
  {},
  { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
)
let routed: RoutedGateway
beforeAll(async () => {
  routed = await openRoutedGateway({
    providers: ['GROQ', 'OPENROUTER'],
    add: [routedModel('own/model', 10, routesTo('groq', 'openrouter'))],
    logger,
  })
})
afterAll(() => routed.close())

test.each([
  ['failover', 'groq=429', 200, 'openrouter', 'groq is not available (HTTP 429)'],
  ['rejected', 'groq=400', 500, 'groq', 'groq rejected the request (HTTP 400)'],
  ['broken', 'groq=break', 200, 'groq', 'groq ended its response before it was complete'],
  ['served', 'groq=ok', 200, 'groq', undefined],
])('the log of a call says how its provider failed: %s', async (...row) => {
  const [word, fault, status, provider, providerFailure] = row
  const messages = [{ role: 'user', content: `${word} ${fault}` }]
  const body = { model: 'own/model', messages, max_tokens: 200, stream: true }
  const response = await buy(routed.gateway, 3, { body })
  await response.text()
  const paymentId = response.headers.get('x-payment-id')
  const logged = () =>
    lines.find((line) => line['event'] === 'request' && line['paymentId'] === paymentId)
  await expect.poll(logged).toMatchObject({ status, provider })
  expect(logged()?.['providerFailure']).toBe(providerFailure)
})
