import { readFile } from 'node:fs/promises'
import { paymentSchema } from '@farebox/api'
import {
  type DiscoveryExtension,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { refusedPayments } from '../../src/endpoints/refused-payments.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({ PUBLIC_URL: 'https://pay.example' })
})
afterAll(() => gateway.stop())

const media = z.record(
  z.string(),
  z.strictObject({
    schema: z.record(z.string(), z.unknown()),
    example: z.looseObject({}).optional(),
  }),
)
const codeSample = z.strictObject({ lang: z.string(), label: z.string(), source: z.string() })
const tag = z.enum(['Paid', 'Free'])
const header = z.strictObject({
  schema: z.strictObject({ type: z.literal('string') }),
  description: z.string().optional(),
})
/** As agents read it, after draft-payment-discovery-00. */
const paymentInfo = z.strictObject({
  price: z.strictObject({ mode: z.literal('dynamic'), currency: z.literal('USD') }),
  protocols: z.tuple([z.strictObject({ x402: z.strictObject({}) })]),
})
const operation = z.strictObject({
  tags: z.array(tag).length(1),
  summary: z.string(),
  description: z.string().optional(),
  'x-codeSamples': z.array(codeSample).optional(),
  'x-paid': z.boolean(),
  'x-payment-info': paymentInfo.optional(),
  parameters: z
    .array(
      z.strictObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
  requestBody: z.strictObject({ required: z.boolean(), content: media }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({
      description: z.string().min(1),
      headers: z.record(z.string(), header).optional(),
      content: media.optional(),
    }),
  ),
})
const documentSchema = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    'x-guidance': z.string().startsWith('## How to pay'),
  }),
  servers: z.array(z.strictObject({ url: z.url() })).min(1),
  tags: z.array(z.strictObject({ name: tag, description: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.strictObject({ get: operation.optional(), post: operation.optional() }),
  ),
  'x-error-codes': z.record(z.string(), z.string()),
  'x-error-statuses': z.record(z.string(), z.int()),
})

async function openApi() {
  return documentSchema.parse(await (await fetch(`${gateway.url}/openapi.json`)).json())
}

test('openapi.json is OpenAPI 3.1, and every path in it responds as documented', async () => {
  const { info, paths, servers } = await openApi()
  expect(info.description).toContain(refusedPayments)
  expect(servers).toEqual([{ url: 'https://pay.example' }])
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(item)) {
      if (described === undefined) continue
      const answer = await fetch(gateway.url + path.replace('{id}', 'pay_none'), {
        method: method.toUpperCase(),
        ...(method === 'post' && { body: '{}' }),
      })
      expect([path, Object.keys(described.responses)]).toEqual([
        path,
        expect.arrayContaining([String(answer.status)]),
      ])
    }
  }
})

test('openapi.json is not serialized for each request', async () => {
  const serialize = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => serialize.mockRestore())
  const response = await fetch(`${gateway.url}/openapi.json`)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect((await response.text()).length).toBeGreaterThan(100_000)
  const lengths = serialize.mock.results.map(({ value }) => String(value).length)
  expect(Math.max(0, ...lengths)).toBeLessThan(100_000)
})

test('openapi.json marks the paths that are paid by x402', async () => {
  for (const [path, { get, post }] of Object.entries((await openApi()).paths)) {
    expect([path, get?.['x-payment-info']]).toEqual([path, undefined])
    expect([path, post?.['x-payment-info'] !== undefined]).toEqual([
      path,
      post?.['x-paid'] === true,
    ])
  }
})

test('every request body in openapi.json has its fields', async () => {
  for (const [path, { post }] of Object.entries((await openApi()).paths)) {
    const schema = post?.requestBody?.content['application/json']?.schema
    expect([path, schema?.['additionalProperties']]).toEqual([path, post && false])
  }
})

test('llms.txt describes what the gateway sells', async () => {
  const text = await (await fetch(`${gateway.url}/llms.txt`)).text()
  const { total } = await (await fetch(`${gateway.url}/v1/models`)).json()
  const images = await (await fetch(`${gateway.url}/v1/images/models`)).json()
  expect(text).toContain(`/v1/models (${total})`)
  expect(text).toContain(`/v1/images/models (${images.total})`)
  const addresses = [...text.matchAll(/https:\/\/pay\.example(\/[\w/.{}-]+)/g)].map(
    ([, path]) => path,
  )
  const { paths } = await openApi()
  const known = [...Object.keys(paths), '/openapi.json', '/docs', '/.well-known/x402']
  expect(known).toEqual(expect.arrayContaining(addresses))
})

test('each page that explains 402 names the deposit that one may have taken', async () => {
  const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8')
  const agents = await (await fetch(`${gateway.url}/llms.txt`)).text()
  const reference = await (await fetch(`${gateway.url}/openapi.json`)).text()
  const rule =
    /was not\s+and will not be used, unless\s[\w\s]+ receipt of a deposit into a payment channel/
  for (const text of [readme, agents, reference]) expect(text).toMatch(rule)
})

test('a 503 resumes a payment only with Retry-After, as llms.txt and the README say', async () => {
  const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8')
  const agents = await (await fetch(`${gateway.url}/llms.txt`)).text()
  for (const text of [readme, agents]) {
    const rules = text.replaceAll('`', '').match(/503 with X-Payment-Id( and Retry-After)?/g)
    expect(rules?.[0]).toBe('503 with X-Payment-Id and Retry-After')
  }
  const body = { messages: [{ role: 'user', content: '[[sandbox: status=500]]' }] }
  const { v2 } = await signPayment(gateway, 1, { body })
  const ask = async () => {
    const answer = await post(gateway, chatPath, { body, headers: v2 })
    return [answer.status, answer.headers.get('retry-after'), await answer.text()]
  }
  const first = await ask()
  expect(first).toEqual([503, null, expect.stringContaining('upstream_unavailable')])
  expect(await ask()).toEqual(first)
})

test('the payment record and the health checks have the shape of the contract', async () => {
  const body = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3000 }
  const { v2 } = await signPayment(gateway, 0, { body })
  const answer = await post(gateway, chatPath, { body, headers: v2 })
  await answer.text()
  const id = answer.headers.get('x-payment-id') ?? ''
  await gateway.refunded(id)
  const record = await (await fetch(`${gateway.url}/v1/payments/${id}`)).json()
  expect(paymentSchema.strict().parse(record)).toMatchObject({
    status: 'completed',
    network: 'eip155:84532',
    resource: `https://pay.example${chatPath}`,
    refund: { status: 'confirmed' },
  })
  const dependencies = { chain: 'ok', database: 'ok', treasury: 'ok', relayer: 'ok' }
  const providers = { sandbox: 'ok' }
  const health = await (await fetch(`${gateway.url}/health`)).json()
  expect(health).toEqual({
    status: 'ok',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    network: 'eip155:84532',
    mainnet: false,
    cdp: 'not configured',
    dependencies,
    providers,
  })
  expect(await (await fetch(`${gateway.url}/v1/health`)).json()).toEqual({
    status: 'ok',
    timestamp: expect.any(String),
    dependencies,
    providers,
  })
})

const bazaarSchema = z.object({
  extensions: z.object({ bazaar: z.record(z.string(), z.unknown()) }),
})

test('every resource of /.well-known/x402 quotes its example, and its 402 is valid for the Bazaar', async () => {
  const listed = await (await fetch(`${gateway.url}/.well-known/x402`)).json()
  expect(listed.version).toBe(1)
  const { paths } = await openApi()
  const paid = Object.keys(paths).filter((path) => paths[path]?.post?.['x-paid'])
  expect(listed.resources.toSorted()).toEqual(
    paid.map((path) => `https://pay.example${path}`).toSorted(),
  )
  for (const path of paid) {
    const probe = await fetch(gateway.url + path, { method: 'POST' })
    const header = probe.headers.get('payment-required') ?? ''
    expect([path, probe.status, header.length < 3500]).toEqual([path, 402, true])
    const { extensions } = bazaarSchema.parse(JSON.parse(Buffer.from(header, 'base64').toString()))
    const bazaar = extensions.bazaar as unknown as DiscoveryExtension
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
    expect(validateDiscoveryExtensionSpec(extensions.bazaar)).toEqual({ valid: true })
    const { body } = (bazaar.info as { input: { body: object } }).input
    const quoted = await fetch(gateway.url + path, { method: 'POST', body: JSON.stringify(body) })
    expect([path, quoted.status]).toEqual([path, 402])
  }
})
