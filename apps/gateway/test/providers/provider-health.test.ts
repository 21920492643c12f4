import { chatRequestSchema } from '@farebox/api'
import { shippedCatalog } from '@farebox/catalogs'
import { picodollars } from '@farebox/money'
import {
  createOpenAiCompatibleProvider,
  groqProfile,
  type HealthChange,
  openAiProfile,
  withBreaker,
} from '@farebox/provider-proxy'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/observe/metrics.ts'
import { providerLog } from '../../src/observe/provider-log.ts'
import { registerProviderMetrics } from '../../src/observe/provider-metrics.ts'
import { providerHealthOf } from '../../src/providers/provider-health.ts'
import { type ConnectedChat, createProviderRoutes } from '../../src/providers/provider-routes.ts'

let now = 0

const lines: string[] = []
const logger = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) })
const log = providerLog(logger, createMetrics())

/** Providers at a port where nothing listens: one failure opens their breaker for a second. */
const chat: readonly ConnectedChat[] = (['openai', 'groq'] as const).map((name) => {
  const limits = name === 'openai' ? openAiProfile : groqProfile
  const unreachable = createOpenAiCompatibleProvider({
    profile: limits,
    apiKey: 'k',
    baseUrl: 'http://127.0.0.1:1/v1',
  })
  const options = { clock: () => now, threshold: 1, firstPauseMs: 1_000 }
  const onChange = (change: HealthChange) => {
    log.onChange(name, change)
  }
  return { name, limits, provider: withBreaker(unreachable, { ...options, onChange }) }
})

const catalog = shippedCatalog(Date.now())
const health = providerHealthOf(
  createProviderRoutes({ chat, images: [], close: async () => undefined }),
  () => catalog,
)
const metrics = createMetrics()
registerProviderMetrics(metrics, health)

async function expectMetrics(openAi: 0 | 1, unavailable: number): Promise<void> {
  const text = await metrics.registry.metrics()
  expect(text).toContain(`farebox_provider_up{provider="openai"} ${openAi}`)
  expect(text).toContain('farebox_provider_up{provider="groq"} 1')
  expect(text).toContain(`farebox_models_unavailable ${unavailable}\n`)
}

test('a provider that fails is unavailable, then probing, with the models that it alone serves', async () => {
  expect(Object.fromEntries(health.providers())).toEqual({ openai: 'ok', groq: 'ok' })
  await expectMetrics(1, 0)
  const messages = [{ role: 'user', content: 'hi' }]
  const failing = chat[0]?.provider.open({
    model: 'openai/gpt-4.1',
    upstreamModel: 'gpt-4.1',
    request: chatRequestSchema.parse({ messages }),
    maxTokens: 1,
    maxPrice: { input: picodollars(1n), output: picodollars(1n) },
    attempts: 1,
    signal: new AbortController().signal,
  })
  await expect(failing).rejects.toMatchObject({ code: 'upstream_unavailable' })
  expect(Object.fromEntries(health.providers())).toEqual({ openai: 'unavailable', groq: 'ok' })
  const servedBy = (name: string) => (model: (typeof catalog.chat)[number]) =>
    model.routes.some(({ provider }) => provider === name)
  const alone = catalog.chat.filter((one) => servedBy('openai')(one) && !servedBy('groq')(one))
  expect(alone.length).toBeGreaterThan(10)
  await expectMetrics(0, alone.length)
  // After the pause the next call is tried, so its models can be sold again.
  now = 1_000
  expect(health.providers().get('openai')).toBe('probing')
  await expectMetrics(0, 0)
  const reason = 'openai could not be reached (ECONNREFUSED)'
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 40, event: 'provider_down', provider: 'openai', reason },
  ])
})

test('the end of a failure is logged', () => {
  log.onChange('groq', { state: 'closed', model: 'm' })
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    level: 30,
    event: 'provider_up',
    provider: 'groq',
    model: 'm',
  })
})
