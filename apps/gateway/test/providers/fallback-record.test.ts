import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { pino } from 'pino'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath } from '../support/sign-payment.ts'
import { openRoutedUpstream, type RoutedUpstream } from './routed-upstream.ts'

const lines: Record<string, unknown>[] = []
const logger = pino(
  {},
  { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
)
let folder: string
let upstream: RoutedUpstream
let gateway: TestGateway

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  upstream = await openRoutedUpstream()
  const overrides = join(folder, 'overrides.json')
  const model = (id: string, rate: number, provider: string) => ({
    id,
    contextLength: 8192,
    maxOutputTokens: 4096,
    price: { input: rate, output: rate },
    accepts: 'hosted',
    routes: [{ provider, model: `${provider}-name` }],
  })
  const add = [model('own/dear', 40, 'openrouter'), model('own/cheap', 10, 'groq')]
  await writeFile(overrides, JSON.stringify({ chat: { add } }))
  gateway = await openGateway(
    {
      GROQ_API_KEY: 'sk-groq',
      GROQ_BASE_URL: upstream.url('groq'),
      OPENROUTER_API_KEY: 'sk-openrouter',
      OPENROUTER_BASE_URL: upstream.url('openrouter'),
      CATALOG_OVERRIDES: overrides,
      MIN_CHARGE_USDC: '0.000002',
    },
    logger,
  )
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
  await rm(folder, { recursive: true, force: true })
})

test('the record of a call from a channel, and the log, name the fallback that served', async () => {
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
