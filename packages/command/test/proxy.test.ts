import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import Anthropic from '@anthropic-ai/sdk'
import { createFareboxClient, type FareboxClient } from '@farebox/client'
import { parseUsdc } from '@farebox/money'
import OpenAI from 'openai'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { gatewayStage } from '../../../scripts/testing/gateway-stage.ts'
import { type ProxyOptions, startProxy } from '../src/index.ts'

const stage = gatewayStage()
const model = 'openai/gpt-4.1-mini'
const hello = [{ role: 'user' as const, content: 'Hello' }]
const key = 'local-key'

type Proxy = {
  readonly url: string
  readonly client: FareboxClient
  readonly paid: readonly (string | undefined)[]
  readonly refused: readonly string[]
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

type Options = Partial<ProxyOptions> & { readonly maxTotal?: string; readonly perCall?: string }

async function open({ maxTotal = '1', perCall = '0.1', ...options }: Options = {}): Promise<Proxy> {
  const [payer] = stage.devnet.payers
  const client = createFareboxClient({
    baseUrl: stage.url,
    account: privateKeyToAccount(payer?.privateKey ?? '0x'),
    maxTotal: parseUsdc(maxTotal),
    maxAmountPerCall: parseUsdc(perCall),
  })
  const paid: (string | undefined)[] = []
  const refused: string[] = []
  const { url, stop } = await startProxy({
    client,
    port: 0,
    key,
    allowedOrigins: [],
    events: {
      paid: async (id) => {
        paid.push(id)
      },
      refused: (code) => refused.push(code),
    },
    ...options,
  })
  stops.push(stop)
  return { url, client, paid, refused }
}

const openai = ({ url }: Proxy, apiKey = key): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey })
const anthropic = ({ url }: Proxy, apiKey = key): Anthropic =>
  new Anthropic({ baseURL: url, apiKey })

test('the client of OpenAI streams, and lists models, with a base URL and a key', async () => {
  const proxy = await open()
  const stream = await openai(proxy).chat.completions.create({
    model,
    messages: hello,
    stream: true,
  })
  let finish: string | null | undefined
  for await (const chunk of stream) finish = chunk.choices[0]?.finish_reason
  expect(finish).toBe('stop')
  await expect.poll(() => proxy.paid).toHaveLength(1)
  const ids = (await openai(proxy).models.list()).data.map(({ id }) => id)
  expect(ids).toContain(model)
  expect(proxy.paid).toHaveLength(1)
})

test('the client of Anthropic streams with a base URL and a key', async () => {
  const proxy = await open()
  const message = await anthropic(proxy)
    .messages.stream({ model, messages: hello, max_tokens: 100 })
    .finalMessage()
  expect(message).toMatchObject({ type: 'message', role: 'assistant' })
  await expect.poll(() => proxy.paid).toHaveLength(1)
})

test('a plain fetch gets the answer with the id of its payment', async () => {
  const proxy = await open()
  const response = await post(proxy, '/v1/chat/completions', { model, messages: hello })
  expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  expect(proxy.paid).toEqual([response.headers.get('x-payment-id')])
})

async function post(
  { url }: Proxy,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

test('the cap holds over concurrent calls, and reports itself in the shape of each interface', async () => {
  const price = 0.001
  const proxy = await open({ maxTotal: `${price * 2}` })
  const request = { model, messages: hello, max_tokens: 10 }
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map(async () => await post(proxy, '/v1/chat/completions', request)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402, 402])
  expect(proxy.paid).toHaveLength(2)
  expect(proxy.client.spent()).toBeLessThanOrEqual(parseUsdc(`${price * 2}`))

  const said = await Promise.all([
    openai(proxy)
      .chat.completions.create(request)
      .catch((error: unknown) => error),
    anthropic(proxy)
      .messages.create(request)
      .catch((error: unknown) => error),
  ])
  expect(said).toMatchObject([
    {
      status: 402,
      code: 'spend_cap_exceeded',
      message: expect.stringContaining('--max-usd-total'),
    },
    { status: 402, error: { type: 'error', error: { type: 'billing_error' } } },
  ])
  expect(proxy.refused).toEqual(Array(5).fill('spend_cap_exceeded'))
})

test('a caller without the key gets a 401 in the shape of each interface, and spends nothing', async () => {
  const proxy = await open()
  const said = await Promise.all([
    openai(proxy, 'wrong')
      .chat.completions.create({ model, messages: hello })
      .catch((error: unknown) => error),
    anthropic(proxy, 'wrong')
      .messages.create({ model, messages: hello, max_tokens: 10 })
      .catch((error: unknown) => error),
  ])
  expect(said).toMatchObject([
    { status: 401, code: 'invalid_api_key' },
    { status: 401, error: { error: { type: 'authentication_error' } } },
  ])
  expect(proxy.client.spent()).toBe(0n)
})

/** `fetch` does not let a caller set these headers, which a browser sets. */
async function sendAs(
  { url }: Proxy,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
): Promise<{ status: number | undefined; headers: object; body: string }> {
  return await new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/models`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
        reject,
      )
    })
    sent.end(body)
  })
}

test.each([
  ['a page on another site', { origin: 'https://evil.example' }],
  ['a page whose origin is hidden', { origin: 'null' }],
  ['an image of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a script of another port', { 'sec-fetch-site': 'same-site' }],
  ['a page that rebinds its name to this machine', { host: 'evil.example:8402' }],
  ['a page under a name that begins like this machine', { host: '127.0.0.1.evil.example' }],
])('%s may not call, even without a key', async (_, headers) => {
  const proxy = await open({ key: undefined })
  expect(await sendAs(proxy, headers)).toMatchObject({ status: 403 })
  expect((await sendAs(proxy, {})).status).toBe(200)
})

test('an allowed page may ask before it calls, and call', async () => {
  const origin = 'http://localhost:3000'
  const proxy = await open({ allowedOrigins: [origin] })
  const asked = { origin, 'access-control-request-headers': 'authorization', authorization: '' }
  const allowed = { 'access-control-allow-origin': origin }
  expect(await sendAs(proxy, asked, 'OPTIONS')).toMatchObject({ status: 204, headers: allowed })
  expect(await sendAs(proxy, { origin })).toMatchObject({ status: 200, headers: allowed })
  const other = { ...asked, origin: 'https://evil.example' }
  expect((await sendAs(proxy, other, 'OPTIONS')).status).toBe(403)
})

test("neither the local key nor a payment of the caller's reaches the gateway", async () => {
  const [sent, record] = recorder()
  const proxy = await open({ client: { fetch: record } })
  const own = { 'x-payment': 'a', 'payment-signature': 'b', cookie: 'c' }
  await post(proxy, '/v1/messages', {}, { 'x-api-key': key, ...own })
  expect(sent).toHaveLength(1)
  const names = [...new Headers(sent[0]?.headers).keys()]
  expect(names.filter((name) => /key|auth|payment|cookie|host|origin/.test(name))).toEqual([])
})

function recorder(): readonly [RequestInit[], FareboxClient['fetch']] {
  const sent: RequestInit[] = []
  return [
    sent,
    async (_, init = {}) => {
      sent.push(init)
      return new Response('{}')
    },
  ]
}

test('a payment that the gateway does not name is reported too, and a call of the free quota is not', async () => {
  const answers = [{ 'payment-response': 'e30=' }, {}]
  const proxy = await open({
    client: { fetch: async () => new Response('{}', { headers: answers.shift() ?? {} }) },
  })
  await (await post(proxy, '/v1/responses', {})).text()
  await (await post(proxy, '/v1/responses', {})).text()
  expect(proxy.paid).toEqual([undefined])
})

test('an app that disconnects cancels the call, and its payment is still reported', async () => {
  const canceled: unknown[] = []
  const endless = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode('data: {}\n\n')),
    cancel: (reason) => void canceled.push(reason),
  })
  const headers = { 'x-payment-id': 'pay_1' }
  const proxy = await open({ client: { fetch: async () => new Response(endless, { headers }) } })
  const response = await post(proxy, '/v1/chat/completions', { model, messages: hello })
  for await (const _ of response.body ?? []) break
  await expect.poll(() => proxy.paid).toEqual(['pay_1'])
  expect(canceled).toHaveLength(1)
})

test('another path, and a gateway that is down, are errors of the interface', async () => {
  const proxy = await open()
  const misplaced = await post(proxy, '/chat/completions', {})
  expect(misplaced.status).toBe(404)
  expect(await misplaced.text()).toContain('Use a base URL that ends in /v1.')
  const down = await open({ client: createFareboxClient({ baseUrl: 'http://127.0.0.1:1' }) })
  expect(await (await post(down, '/v1/messages', {})).json()).toMatchObject({
    type: 'error',
    error: { type: 'api_error', code: 'connection_failed' },
  })
})

test('a taken port is an error that names the fix', async () => {
  const { url } = await open()
  const port = Number(new URL(url).port)
  await expect(open({ port })).rejects.toThrow(`Port ${port} is taken. --port 0 picks a free one.`)
})

test('a failure of the proxy itself is an answer that clients do not retry', async () => {
  let calls = 0
  const failing: ProxyOptions['client'] = {
    fetch: async () => {
      calls += 1
      throw new TypeError('nothing can be sent')
    },
  }
  const proxy = await open({ client: failing })
  const said = await openai(proxy)
    .chat.completions.create({ model, messages: hello })
    .catch((error: unknown) => error)
  expect(said).toMatchObject({
    status: 500,
    code: 'local_failure',
    message: expect.stringContaining('The local server failed: nothing can be sent'),
  })
  expect(calls).toBe(1)
})

test('a body of a GET is dropped', async () => {
  const proxy = await open()
  expect(await sendAs(proxy, { 'content-length': '2' }, 'GET', '{}')).toMatchObject({ status: 200 })
})

test.each<readonly [string, object]>([
  ['client.fetch must be a function.', { client: {} }],
  ['events.paid must be a function.', { events: undefined }],
  ['events.refused must be a function.', { events: { paid: async () => undefined } }],
])('a proxy without what it calls is refused: %s', async (message, wrong) => {
  const events = { paid: async () => undefined, refused: () => undefined }
  const right = { client: { fetch }, port: 0, key: 'secret', allowedOrigins: [], events }
  await expect(startProxy({ ...right, ...wrong })).rejects.toMatchObject({
    code: 'invalid_option',
    message,
  })
})
