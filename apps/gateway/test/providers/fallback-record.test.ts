import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { pino } from 'pino'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatPath } from '../support/sign-payment.ts'
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
    add: [
      routedModel('own/dear', 40, routesTo('openrouter')),
      routedModel('own/cheap', 10, routesTo('groq')),
    ],
    logger,
  })
})
afterAll(() => routed.close())

test('the record of a call from a channel, and the log, name the fallback that served', async () => {
  const { gateway } = routed
  const chain = createPublicClient({ transport: http(gateway.access.rpcUrl) })
  const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(gateway.account(8), chain))
  const paying = wrapFetchWithPayment(fetch, new x402Client().register('eip155:84532', scheme))
  const messages = [{ role: 'user', content: 'request 1: groq=429' }]
  const models = { model: 'own/cheap', models: ['own/dear'] }
  const body = { ...models, messages, max_tokens: 200, stream: true }
  const response = await paying(gateway.url + chatPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(await response.text()).toContain('"model":"own/dear"')
  const record = await gateway.record(response.headers.get('x-payment-id') ?? '')
  expect([record.kind, record.model]).toEqual(['channel_call', 'own/dear'])
  expect(record.cost?.usdc).toBe('6000')
  const logged = () =>
    lines.find(({ event, paymentId }) => event === 'request' && paymentId === record.id)
  await expect
    .poll(logged)
    .toMatchObject({ model: 'own/dear', requestedModel: 'own/cheap', paymentId: record.id })
})
