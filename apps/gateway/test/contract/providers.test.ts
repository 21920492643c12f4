import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunkSchema, chatCompletionSchema } from '@farebox/api'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'
import { type GatewayProcess, runGateway } from './run-gateway.ts'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from './upstream-server.ts'

const keyCanary = 'sk-canary-6b1f'
const promptCanary = 'canaryprompt77'
const answerCanary = 'canaryanswer88'
const upstreamCanary = 'canaryupstream99'
const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }

let folder: string
let upstream: UpstreamServer
let running: GatewayProcess
let gateway: {
  readonly url: string
  readonly account: (index: number) => ReturnType<typeof privateKeyToAccount>
}
let metricsPort: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  upstream = await openUpstream({
    json: (response) => {
      answerWith(response, answerCanary, usage)
    },
    lie: (response, { body }) => {
      const lies: Readonly<Record<string, unknown>> = {
        huge: { prompt_tokens: 10, completion_tokens: 1e12, total_tokens: 1e12 },
        negative: { prompt_tokens: -5, completion_tokens: -5, total_tokens: -10 },
        zero: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
        text: { prompt_tokens: '9', completion_tokens: 'NaN', total_tokens: null },
        fraction: { prompt_tokens: 1.5, completion_tokens: 2.5, total_tokens: 4 },
      }
      const kind = JSON.stringify(body['messages']).match(/lie (\w+)/)?.[1] ?? ''
      answerWith(response, 'word '.repeat(200), lies[kind])
    },
    stream: (response) => {
      beginStream(response)
      response.write(': a comment of the provider\n\n')
      response.write(chunk({ role: 'assistant', content: '' }))
      for (const word of ['a', '\n\ndata: [DONE]\n\n', answerCanary]) {
        response.write(chunk({ content: word }))
      }
      response.write(chunk({}, {}, 'stop'))
      response.write(chunk({}, { choices: [], usage }))
      response.end('data: [DONE]\n\n')
    },
    wait: (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: 'first' }))
    },
    refuse: (response, { body }) => {
      const status = Number(JSON.stringify(body['messages']).match(/refuse (\d+)/)?.[1])
      response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' })
      response.end(
        JSON.stringify({
          error: {
            message: `${upstreamCanary} ${keyCanary}`,
            type: upstreamCanary,
            code: upstreamCanary,
          },
        }),
      )
    },
  })
  const models = join(folder, 'models.json')
  const price = { input: '1', output: '2' }
  await writeFile(
    models,
    JSON.stringify({
      models: [{ id: 'own/model', contextLength: 8192, maxOutputTokens: 4096, price }],
    }),
  )
  const overrides = join(folder, 'overrides.json')
  await writeFile(
    overrides,
    JSON.stringify({
      chat: {
        add: [
          {
            id: 'own/added',
            contextLength: 8192,
            maxOutputTokens: 1024,
            price: { input: 10, output: 20 },
          },
        ],
        change: { 'own/model': { price: { input: '4', output: '8' } } },
      },
    }),
  )
  metricsPort = await freePort()
  running = runGateway([], {
    PORT: '0',
    DATA_DIR: folder,
    PUBLIC_URL: 'https://pay.example/base/',
    METRICS_PORT: String(metricsPort),
    CUSTOM_PROVIDER_BASE_URL: upstream.url,
    CUSTOM_PROVIDER_API_KEY: keyCanary,
    CUSTOM_PROVIDER_MODELS: models,
    CATALOG_OVERRIDES: overrides,
    MARKUP_BPS: '5000',
    PRICE_BUFFER_BPS: '2000',
    MIN_CHARGE_USDC: '0.000002',
    REFUND_MIN_USDC: '0.000001',
    REPLAY_SECONDS: '0',
    LOG_LEVEL: 'trace',
  })
  const url = await running.url
  const { payers } = JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8'))
  gateway = { url, account: (index) => privateKeyToAccount(payers[index].privateKey) }
})

afterAll(async () => {
  running.child.kill('SIGTERM')
  await running.ended
  upstream.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

function ask(content: string, fields: object = {}) {
  return { model: 'own/model', messages: [{ role: 'user', content }], max_tokens: 1000, ...fields }
}

async function pay(payer: number, body: object, version: 'v1' | 'v2' = 'v2'): Promise<Response> {
  const signed = await signPayment(gateway, payer, { body })
  return post(gateway, chatPath, { body, headers: signed[version] })
}

async function recordOf(response: Response) {
  const id = response.headers.get('x-payment-id') ?? ''
  return (await fetch(`${gateway.url}/v1/payments/${id}`)).json()
}

describe('the operator’s models and prices', () => {
  test('only what a provider serves is listed, at the changed price with the markup', async () => {
    const { models, total } = await (await fetch(`${gateway.url}/v1/models`)).json()
    expect(total).toBe(2)
    expect(models.map(({ id, pricing }: { id: string; pricing: object }) => [id, pricing])).toEqual(
      [
        [
          'own/model',
          { input_per_1k_tokens: 0.006, output_per_1k_tokens: 0.012, blended_per_1k_tokens: 0.009 },
        ],
        [
          'own/added',
          { input_per_1k_tokens: 0.015, output_per_1k_tokens: 0.03, blended_per_1k_tokens: 0.0225 },
        ],
      ],
    )
    expect((await (await fetch(`${gateway.url}/v1/images/models`)).json()).total).toBe(0)
  })

  test('markup and buffer are in the quote, the markup in the cost, PUBLIC_URL in the resource', async () => {
    const body = ask('json please', { max_tokens: 1000 })
    const challenge = await (await post(gateway, chatPath, { body })).json()
    const { inputTokens, maximum, minimum } = challenge.quote
    expect(minimum.usdc).toBe('2')
    expect(challenge.accepts[0].resource).toBe(`https://pay.example/base${chatPath}`)
    // The input is covered up to its upper bound, which for an unknown tokenizer is some hundreds.
    const least = Math.ceil((inputTokens * 6 + 1000 * 12) * 1.2)
    expect(Number(maximum.usdc)).toBeGreaterThanOrEqual(least)
    expect(Number(maximum.usdc)).toBeLessThan(least + 1000 * 6 * 1.2)
    const response = await pay(0, body)
    const record = await recordOf(response)
    expect(record.cost).toEqual({ usdc: '108', usd: '0.000108' })
    expect(chatCompletionSchema.parse(await response.json())).toMatchObject({ model: 'own/model' })
    expect(upstream.arrived.at(-1)).toMatchObject({
      authorization: `Bearer ${keyCanary}`,
      body: { model: 'own/model', max_tokens: 1000, temperature: 0.7 },
    })
  })
})

describe('the output of a provider', () => {
  test.each(['huge', 'negative', 'zero', 'text', 'fraction'])(
    'is billed at more than zero and at most what was paid for %s usage',
    async (kind) => {
      const response = await pay(1, ask(`lie ${kind}`))
      expect(response.status).toBe(200)
      const record = await recordOf(response)
      const cost = Number(record.cost.usdc)
      expect(cost).toBeGreaterThan(150 * 12)
      expect(cost).toBeLessThanOrEqual(Number(record.paid.usdc))
      const { usage: told } = await response.json()
      expect(told.completion_tokens).toBeGreaterThan(100)
      expect(told.completion_tokens).toBeLessThanOrEqual(1000)
    },
  )

  test.each(['v1', 'v2'] as const)(
    'is streamed in our own chunks only, to a client of %s',
    async (version) => {
      const response = await pay(
        2,
        ask(`stream ${version}`, {
          stream: true,
          stream_options: { include_usage: version === 'v1' },
        }),
        version,
      )
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        connection: 'keep-alive',
        'x-should-retry': 'false',
      })
      expect(response.headers.has('payment-response')).toBe(version === 'v2')
      expect(response.headers.has('x-payment-response')).toBe(version === 'v1')
      const events = (await response.text()).split('\n\n')
      expect(events.pop()).toBe('')
      expect(events.pop()).toBe('data: [DONE]')
      expect(events.pop()).toMatch(/^: receipt \{"id":"pay_/)
      const chunks = events.map((event) =>
        chatChunkSchema.strict().parse(JSON.parse(event.replace(/^data: /, ''))),
      )
      expect(chunks.map((one) => one.choices[0]?.delta.content ?? '').join('')).toBe(
        `a\n\ndata: [DONE]\n\n${answerCanary}`,
      )
      expect(chunks.map((one) => one.usage !== undefined)).toEqual(
        chunks.map((_, index) => index === chunks.length - 1),
      )
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
      expect(chunks.every((one) => one.model === 'own/model')).toBe(true)
    },
  )

  test.each([
    [400, 500],
    [402, 503],
    [403, 503],
    [404, 503],
    [422, 500],
    [429, 503],
    [500, 503],
    [529, 503],
  ])(
    'a refusal with %s becomes a %s that reveals nothing of the provider, and is refunded',
    async (status, answered) => {
      const response = await pay(3, ask(`refuse ${status}`))
      const text = await response.text()
      expect(response.status).toBe(answered)
      expect(text).not.toContain(upstreamCanary)
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.has('payment-response')).toBe(true)
      expect(JSON.parse(text)).toMatchObject({ payment: { cost: { usdc: '0' } } })
      expect(await recordOf(response)).toMatchObject({ status: 'failed', cost: { usdc: '0' } })
    },
  )

  test('its connection is closed when the client disconnects', async () => {
    const leaving = new AbortController()
    const body = ask('wait for ever', { stream: true })
    const { v2 } = await signPayment(gateway, 4, { body })
    const response = await fetch(gateway.url + chatPath, {
      method: 'POST',
      headers: v2,
      body: JSON.stringify(body),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    const arrived = upstream.arrived.at(-1)
    leaving.abort()
    await expect.poll(() => arrived?.abortedAt).toBeDefined()
    await expect.poll(async () => (await recordOf(response)).status).toBe('completed')
  })
})

test('REPLAY_SECONDS=0 keeps no response: the authorization is used', async () => {
  const body = ask('json once')
  const { v2 } = await signPayment(gateway, 5, { body })
  const first = await post(gateway, chatPath, { body, headers: v2 })
  expect(first.status).toBe(200)
  const again = await post(gateway, chatPath, { body, headers: v2 })
  expect(again.status).toBe(400)
  expect(again.headers.get('x-payment-id')).toBe(first.headers.get('x-payment-id'))
  const { error } = await again.json()
  expect(error.code).toBe('authorization_used')
  expect(error.message).toContain(first.headers.get('x-payment-id'))
})

test('no log, metric, record or export contains the keys of provider, treasury or relayer, prompts, completions or signatures', async () => {
  const body = ask(`json ${promptCanary}`)
  const { v2 } = await signPayment(gateway, 6, { body })
  const answer = await post(gateway, chatPath, { body, headers: v2 })
  expect(await answer.text()).toContain(answerCanary)
  const signature: string = JSON.parse(Buffer.from(v2['PAYMENT-SIGNATURE'], 'base64').toString())
    .payload.signature
  const record = JSON.stringify(await recordOf(answer))
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(metrics).toContain('farebox_requests_total')
  const exported = await runGateway(['ledger', 'export'], { DATA_DIR: folder }).ended
  expect(exported.stdout).toContain(answer.headers.get('x-payment-id'))
  const { treasury, relayer } = JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8'))
  running.child.kill('SIGTERM')
  const { code, stdout, stderr } = await running.ended
  expect(code).toBe(0)
  const written = [record, metrics, exported.stdout, exported.stderr, stdout, stderr].join('\n')
  for (const secret of [
    keyCanary,
    promptCanary,
    answerCanary,
    upstreamCanary,
    signature.slice(2),
    treasury.privateKey,
    relayer.privateKey,
  ]) {
    expect(written.includes(secret)).toBe(false)
  }
})
