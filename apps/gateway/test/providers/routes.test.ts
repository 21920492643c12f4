import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chatChunkSchema, chatCompletionSchema, healthSchema } from '@farebox/api'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { buy, eventsOf } from '../support/buy.ts'
import type { TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import { openRoutedGateway, type RoutedGateway, routedModel, routesTo } from './routed-gateway.ts'
import { type Fault, faults, notExecuted, type RoutedUpstream, seeded } from './routed-upstream.ts'

let routed: RoutedGateway
let upstream: RoutedUpstream
let gateway: TestGateway
let stoppedAt: number | undefined

const add = [
  routedModel('own/routed', 10, routesTo('openai', 'groq', 'openrouter')),
  routedModel('own/dead-first', 10, routesTo('mistral', 'groq')),
  routedModel('own/unreachable-first', 10, routesTo('moonshot', 'zai', 'groq')),
  routedModel('own/keyless-first', 10, routesTo('cerebras', 'together')),
  routedModel('own/waiting', 10, routesTo('openai', 'groq')),
  routedModel('own/failing', 10, routesTo('fireworks', 'deepseek')),
  routedModel('own/dear', 40, routesTo('openrouter')),
  routedModel('own/cheap', 10, routesTo('groq')),
  routedModel('own/by-route', 40, [
    { provider: 'openai', model: 'openai-name' },
    { provider: 'groq', model: 'groq-name', price: { input: 10, output: 10 } },
    { provider: 'openrouter', model: 'openrouter-name', price: { input: 20, output: '20' } },
  ]),
]

beforeAll(async () => {
  const now = Date.now
  // Before the breakers take their clock.
  vi.spyOn(Date, 'now').mockImplementation(() => stoppedAt ?? now())
  routed = await openRoutedGateway({
    providers: ['OPENAI', 'GROQ', 'OPENROUTER', 'CEREBRAS', 'TOGETHER', 'FIREWORKS', 'DEEPSEEK'],
    add,
    more: async ({ upstream: { url }, folder }) => ({
      MISTRAL_API_KEY: 'sk-mistral',
      // A port where nothing listens: the connection is refused.
      MISTRAL_BASE_URL: 'http://127.0.0.1:1/v1',
      MOONSHOT_API_KEY: 'sk-moonshot',
      MOONSHOT_BASE_URL: 'http://host.invalid/v1',
      ZAI_API_KEY: 'sk-zai',
      // The server speaks no TLS, so the handshake fails.
      ZAI_BASE_URL: url('zai').replace('http:', 'https:'),
      CUSTOM_PROVIDERS: await writeServers(folder, url),
    }),
  })
  ;({ upstream, gateway } = routed)
})
afterAll(async () => {
  await routed.close()
  vi.restoreAllMocks()
})

/** The file of two servers of the operator's own, which sell the same model. */
async function writeServers(folder: string, url: RoutedUpstream['url']): Promise<string> {
  const servers = ['one', 'two'].map((name) => ({
    name,
    baseUrl: url(name),
    apiKey: `sk-${name}`,
    models: [routedModel('own/pair', 10, routesTo('custom'))],
  }))
  const file = join(folder, 'servers.json')
  await writeFile(file, JSON.stringify({ servers }))
  return file
}

let requests = 0

/** A request whose text says what each provider does with it. */
function ask(faults: string, fields: Readonly<Record<string, unknown>> = {}) {
  requests += 1
  const content = `request ${requests}: ${faults}`
  return { model: 'own/routed', max_tokens: 200, messages: [{ role: 'user', content }], ...fields }
}

/** The providers that were called for a request, in order. */
function calledFor({ messages: [message] }: ReturnType<typeof ask>): readonly string[] {
  return upstream.called
    .filter(({ content }) => content === message?.content)
    .map(({ provider }) => provider)
}

async function recordOf(response: Response) {
  return gateway.record(response.headers.get('x-payment-id') ?? '')
}

describe('a model with several routes', () => {
  test('is served by the first, which the completion names', async () => {
    const body = ask('')
    const response = await buy(gateway, 0, { body })
    const completion = chatCompletionSchema.parse(await response.json())
    expect(completion).toMatchObject({ model: 'own/routed', provider: 'openai' })
    expect(calledFor(body)).toEqual(['openai'])
  })

  test.each(['429', '429-for-an-hour', '503', '529', '402', '404'] as const)(
    'is served once by the second if the first responds with %s',
    async (status) => {
      const body = ask(`openai=${status}`)
      const response = await buy(gateway, 1, { body })
      const completion = chatCompletionSchema.parse(await response.json())
      expect(completion.provider).toBe('groq')
      expect(completion.choices[0]?.message.content).toBe('from groq')
      expect(calledFor(body)).toEqual(['openai', 'groq'])
      // 150 tokens at 10 USD per million.
      expect((await recordOf(response)).cost?.usdc).toBe('1500')
    },
  )

  test('is served by the second if the first refuses the connection', async () => {
    const body = ask('', { model: 'own/dead-first', stream: true })
    const response = await buy(gateway, 2, { body })
    const events = eventsOf(await response.text())
    expect(events.at(-1)).toBe('[DONE]')
    const chunks = events.slice(0, -1).map((event) => chatChunkSchema.parse(JSON.parse(event)))
    expect(new Set(chunks.map(({ provider }) => provider))).toEqual(new Set(['groq']))
    expect(calledFor(body)).toEqual(['groq'])
  })

  test('is served by the third if the first has no address and the second no TLS', async () => {
    const body = ask('', { model: 'own/unreachable-first' })
    const response = await buy(gateway, 2, { body })
    expect(await response.json()).toMatchObject({ provider: 'groq' })
    expect(calledFor(body)).toEqual(['groq'])
    expect((await recordOf(response)).cost?.usdc).toBe('1500')
  })

  test.each(['500', 'cut', 'error-in-200', 'error-after-role', 'break', '400'] as const)(
    'is never sent to the second after %s: the first may have executed it',
    async (fault) => {
      const body = ask(`openai=${fault}`)
      const response = await buy(gateway, 3, { body })
      expect(response.status).toBe(fault === '400' ? 500 : 503)
      expect(calledFor(body)).toEqual(['openai'])
      expect(await recordOf(response)).toMatchObject({ status: 'failed', cost: { usdc: '0' } })
    },
  )

  test.each(['error-in-200', 'error-after-role'] as const)(
    'costs nothing if its stream ends with %s, before any word',
    async (fault) => {
      const body = ask(`openai=${fault}`, { stream: true })
      const response = await buy(gateway, 3, { body })
      const text = await response.text()
      expect(JSON.parse(eventsOf(text).at(-1) ?? text)).toMatchObject({
        error: { code: 'upstream_unavailable' },
        payment: { cost: { usdc: '0' } },
      })
      expect(calledFor(body)).toEqual(['openai'])
      expect(await recordOf(response)).toMatchObject({ status: 'failed', cost: { usdc: '0' } })
    },
  )

  test('waits for a first that is slow to respond', async () => {
    const body = ask('openai=wait', { model: 'own/waiting' })
    const bought = buy(gateway, 4, { body })
    await expect.poll(() => calledFor(body)).toEqual(['openai'])
    upstream.release()
    expect(await (await bought).json()).toMatchObject({ provider: 'openai' })
    expect(calledFor(body)).toEqual(['openai'])
  })

  test('is refunded in full, with the advice to repeat it, if the model wrote no usable call', async () => {
    const body = ask('openai=unusable')
    const response = await buy(gateway, 5, { body })
    expect(response.status).toBe(503)
    expect(await response.clone().json()).toMatchObject({
      error: {
        code: 'upstream_unavailable',
        message: expect.stringMatching(/^The model wrote a tool call.*Send the request again/),
      },
    })
    expect(calledFor(body)).toEqual(['openai'])
    expect(await recordOf(response)).toMatchObject({ status: 'failed', cost: { usdc: '0' } })
  })

  test('is refunded in full if every provider turns the request away', async () => {
    const body = ask('openai=429 groq=503 openrouter=404')
    const response = await buy(gateway, 5, { body })
    expect(response.status).toBe(503)
    expect(calledFor(body)).toEqual(['openai', 'groq', 'openrouter'])
    expect(await recordOf(response)).toMatchObject({ status: 'failed', cost: { usdc: '0' } })
  })
})

test.each([
  ['', 'openai', '6000'],
  ['openai=429', 'groq', '1500'],
  ['openai=429 groq=503', 'openrouter', '3000'],
])(
  'with %j the bill has the price of the route that served, %s: %s',
  async (faults, provider, cost) => {
    const body = ask(faults, { model: 'own/by-route' })
    const quoted = await post(gateway, chatPath, { body })
    const expensive = await post(gateway, chatPath, { body: { ...body, model: 'own/dear' } })
    expect((await quoted.json()).quote.maximum).toEqual((await expensive.json()).quote.maximum)
    const response = await buy(gateway, 12, { body })
    expect(await response.json()).toMatchObject({ provider })
    expect((await recordOf(response)).cost?.usdc).toBe(cost)
  },
)

test('several servers of the operator serve one model, in the order of the file', async () => {
  const body = ask('one=503', { model: 'own/pair' })
  const response = await buy(gateway, 12, { body })
  expect(await response.json()).toMatchObject({ provider: 'custom:two' })
  expect(calledFor(body)).toEqual(['one', 'two'])
  const chosen = ask('', { model: 'own/pair', provider: { only: ['custom:two'] } })
  await buy(gateway, 12, { body: chosen })
  expect(calledFor(chosen)).toEqual(['two'])
})

describe('provider', () => {
  test.each([
    [{ order: ['openrouter'] }, 'openrouter'],
    [{ order: ['xai', 'Groq'] }, 'groq'],
    [{ only: ['OpenRouter'] }, 'openrouter'],
    [{ ignore: ['openai', 'groq'] }, 'openrouter'],
  ])('%j chooses %s', async (provider, expected) => {
    const body = ask('', { provider })
    const response = await buy(gateway, 6, { body })
    expect(await response.json()).toMatchObject({ provider: expected })
    expect(calledFor(body)).toEqual([expected])
  })

  test.each([
    [{ allow_fallbacks: false }, ['openai']],
    [{ order: ['groq'], allow_fallbacks: false }, ['groq']],
    [{ order: ['groq'] }, ['groq', 'openai', 'openrouter']],
  ])('%j tries %j and no others', async (provider, expected) => {
    const body = ask('openai=529 groq=529 openrouter=404', { provider })
    const response = await buy(gateway, 7, { body })
    expect(response.status).toBe(503)
    expect([...new Set(calledFor(body))]).toEqual(expected)
  })

  test('that leaves no route is a 400 that names the providers of the model', async () => {
    const body = ask('', { provider: { only: ['xai'] } })
    for (const path of [chatPath, '/v1/estimate']) {
      const response = await post(gateway, path, { body })
      expect(response.status).toBe(400)
      expect((await response.json()).error.message).toBe(
        'provider leaves no route to own/routed. Allow one of its providers here: openai, groq, openrouter.',
      )
    }
  })

  test('decides which fields are supported: groq alone lacks logit_bias', async () => {
    const fields = { logit_bias: { 5: 1 }, model: 'own/routed' }
    expect((await post(gateway, chatPath, { body: ask('', fields) })).status).toBe(402)
    const alone = ask('', { ...fields, provider: { only: ['groq'] } })
    const refused = await post(gateway, chatPath, { body: alone })
    expect(await refused.json()).toMatchObject({ error: { param: 'logit_bias' } })
    // Groq is skipped even if the first turns the request away.
    const body = ask('openai=503', fields)
    expect(await (await buy(gateway, 8, { body })).json()).toMatchObject({ provider: 'openrouter' })
    expect(calledFor(body)).toEqual(['openai', 'openrouter'])
  })
})

describe('models', () => {
  const maximumOf = async (fields: object): Promise<number> => {
    const response = await post(gateway, chatPath, { body: ask('', { ...fields }) })
    return Number((await response.json()).quote.maximum.usdc)
  }

  test('is quoted at the most expensive, in the estimate too', async () => {
    const models = { model: 'own/cheap', models: ['own/dear'] }
    expect(await maximumOf(models)).toBe(await maximumOf({ model: 'own/dear' }))
    const estimate = await post(gateway, '/v1/estimate', { body: ask('', models) })
    const { estimatedCost } = await estimate.json()
    expect(Number(estimatedCost.usd) * 1e6).toBeCloseTo(await maximumOf(models), 3)
  })

  test.each([
    ['groq=ok', 'own/cheap', '1500'],
    ['groq=429', 'own/dear', '6000'],
  ])('with %s is served and billed as %s', async (faults, model, cost) => {
    const body = ask(faults, { model: 'own/cheap', models: ['own/dear'] })
    const response = await buy(gateway, 9, { body })
    expect(await response.json()).toMatchObject({ model })
    const record = await recordOf(response)
    expect(record.model).toBe(model)
    expect(record.cost?.usdc).toBe(cost)
    expect(Number(record.cost?.usdc)).toBeLessThanOrEqual(Number(record.paid.usdc))
  })

  test('without model is the list alone', async () => {
    const body = ask('', { model: undefined, models: ['own/dear', 'own/cheap'] })
    expect(await (await buy(gateway, 10, { body })).json()).toMatchObject({ model: 'own/dear' })
  })
})

async function healthOf() {
  return healthSchema.parse(await (await fetch(`${gateway.url}/v1/health`)).json())
}

test('a rejected key closes the route at once, appears in the health, and sales continue elsewhere', async () => {
  const first = ask('cerebras=401', { model: 'own/keyless-first' })
  expect(await (await buy(gateway, 11, { body: first })).json()).toMatchObject({
    provider: 'together',
  })
  expect(await healthOf()).toMatchObject({
    status: 'degraded',
    issues: expect.arrayContaining(['provider_key_rejected']),
    providers: { cerebras: 'key_rejected', together: 'ok' },
  })
  const body = ask('cerebras=401', { model: 'own/keyless-first' })
  expect(await (await buy(gateway, 11, { body })).json()).toMatchObject({ provider: 'together' })
})

test('a quote stays valid when breakers open: its payment is served by another route, or not taken', async () => {
  const later = [ask('', { model: 'own/failing' }), ask('', { model: 'own/failing' })]
  const [first, second] = await Promise.all(
    later.map(async (body, at) => ({ body, ...(await signPayment(gateway, 13 + at, { body })) })),
  )
  const pay = ({ body, v2 }: NonNullable<typeof first>) =>
    post(gateway, chatPath, { body, headers: v2 })
  if (first === undefined || second === undefined) throw new Error('nothing was signed')

  // A breaker stays open for two seconds, and on a busy machine these purchases take longer.
  stoppedAt = Date.now()
  onTestFinished(() => {
    stoppedAt = undefined
  })
  await buy(gateway, 12, { body: ask('fireworks=401', { model: 'own/failing' }) })
  expect(await (await pay(first)).json()).toMatchObject({ provider: 'deepseek' })
  expect(calledFor(first.body)).toEqual(['deepseek'])

  await buy(gateway, 12, { body: ask('deepseek=401', { model: 'own/failing' }) })
  const refused = await pay(second)
  expect(refused.status).toBe(503)
  expect(refused.headers.has('x-payment-id')).toBe(false)
  expect(calledFor(second.body)).toEqual([])
  expect(await healthOf()).toMatchObject({
    status: 'degraded',
    issues: expect.arrayContaining(['models_unavailable']),
    providers: { fireworks: 'key_rejected', deepseek: 'key_rejected' },
  })
})

test('random faults never run a request twice, and paid = cost + refund for each', async () => {
  const random = seeded(12)
  const pick = (): Fault => faults[Math.floor(random() * faults.length)] ?? 'ok'
  const runs = Array.from({ length: proofSize({ quick: 40, all: 1000 }) }, (_, index) => ({
    payer: index % 20,
    happens: { openai: pick(), groq: pick(), openrouter: pick() },
    stream: random() < 0.5,
  }))
  for (let at = 0; at < runs.length; at += 20) {
    await Promise.all(runs.slice(at, at + 20).map(expectRouted))
  }
}, 240_000)

type Run = {
  readonly payer: number
  readonly happens: Readonly<Record<string, Fault>>
  readonly stream: boolean
}

async function expectRouted({ payer, happens, stream }: Run): Promise<void> {
  const script = Object.entries(happens).map(([provider, fault]) => `${provider}=${fault}`)
  const body = ask(script.join(' '), { stream })
  const response = await buy(gateway, payer, { body })
  const text = await response.text()
  const called = [...new Set(calledFor(body))]
  const executed = called.filter((provider) => !notExecuted.has(happens[provider] ?? ''))
  expect(executed.length).toBeLessThanOrEqual(1)
  const last = called.at(-1) ?? ''
  expect(executed.length === 0 || executed[0] === last).toBe(true)
  const record = await recordOf(response)
  const [paid, cost, refund] = [record.paid, record.cost, record.refund].map((amount) =>
    Number(amount?.usdc ?? 0),
  )
  expect((cost ?? 0) + (refund ?? 0)).toBe(paid)
  const isServed = happens[last] === 'ok'
  // A broken stream is billed if its beginning arrived before its end.
  if (happens[last] !== 'break') expect(record.status).toBe(isServed ? 'completed' : 'failed')
  if (isServed) expect([cost, text.includes(`"provider":"${last}"`)]).toEqual([1500, true])
  if (record.status === 'failed') expect(cost).toBe(0)
}
