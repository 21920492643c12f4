import { readFile } from 'node:fs/promises'
import { createMemoryStore } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { anchors } from '../../../../scripts/readmes/parse-markdown.ts'
import { paymentAlarms } from '../../src/observe/alarms.ts'
import { registerChannelMetrics } from '../../src/observe/channel-metrics.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { registerProviderMetrics } from '../../src/observe/provider-metrics.ts'

const file = (path: string) => readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const rules = await file('deploy/monitoring/alerts.yaml')
const dashboard = await file('deploy/monitoring/dashboard.json')

const noProviders = { providers: () => new Map(), unavailableModels: () => 0, soldModels: () => [] }

test.each([
  ['alert rules', rules],
  ['dashboard', dashboard],
])('every metric that the %s use is one that the gateway has', async (_, text) => {
  const metrics = createMetrics()
  const { registry } = metrics
  registerProviderMetrics(metrics, noProviders)
  registerChannelMetrics(registry, createMemoryStore())
  const known = (await registry.getMetricsAsJSON()).map(({ name }) => name)
  const used = text.match(/\b(farebox|nodejs|process)_[a-z0-9_]+\b/g) ?? []
  expect(used.length).toBeGreaterThan(5)
  expect(used.map((name) => name.replace(/_bucket$/, ''))).toEqual(
    used.map(() => expect.toBeOneOf(known)),
  )
})

test('every event that an alert counts is counted from zero, so that the first one raises it', async () => {
  const events = [...rules.matchAll(/event=~?"([a-z_|]+)"/g)].flatMap(([, names = '']) =>
    names.split('|'),
  )
  expect(events.length).toBeGreaterThan(5)
  const exported = await createMetrics().registry.metrics()
  expect(events.filter((event) => !exported.includes(`events_total{event="${event}"} 0`))).toEqual(
    [],
  )
})

test('steps of payments are counted from zero too: what is preconfirmed is compared with what is lost', async () => {
  const exported = await createMetrics().registry.metrics()
  for (const event of ['payment_preconfirmed', 'refunds_resumed', 'channels_claimed']) {
    expect(exported).toContain(`farebox_payment_events_total{event="${event}"} 0`)
  }
})

test('every alarm of payments has a row in the operations guide', async () => {
  const guide = await file('docs/operations/alarms.md')
  const named = new Set([...guide.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
  expect(paymentAlarms.length).toBeGreaterThan(15)
  expect(paymentAlarms.filter((alarm) => !named.has(alarm))).toEqual([])
})

test('what is counted by a model or a provider begins at zero, so that the first sale is an increase', async () => {
  const metrics = createMetrics()
  let soldModels = ['maker/first']
  const providers = () => new Map([['openai', 'ok' as const]])
  registerProviderMetrics(metrics, { ...noProviders, providers, soldModels: () => soldModels })
  const lines = async () => (await metrics.registry.metrics()).split('\n')
  const names = ['sales', 'revenue_usdc', 'paid_usdc', 'upstream_usd']
  const zeros = (model: string) => names.map((name) => `farebox_${name}_total{model="${model}"} 0`)
  const rejected = 'farebox_provider_keys_rejected_total{provider="openai"} 0'
  expect(await lines()).toEqual(expect.arrayContaining([...zeros('maker/first'), rejected]))
  soldModels = ['maker/first', 'maker/second']
  expect(await lines()).toContain('farebox_models_listed 2')
  expect(await lines()).toEqual(expect.arrayContaining(zeros('maker/second')))
})

test('every alert names a section of the operations guide', async () => {
  const alerts = rules.match(/- alert: /g) ?? []
  const sections = [...rules.matchAll(/page: (docs\/operations\/\S+)#(\S+)/g)]
  expect(sections).toHaveLength(alerts.length)
  for (const [, page = '', section] of sections) {
    expect(anchors(await file(page)), page).toContain(section)
  }
})
