// Faster tests of the same: overlapping of payments, free-quota and cut-streams.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf, eventsOf } from '../support/buy.ts'
import { chatPath, post } from '../support/sign-payment.ts'
import {
  type Attacked,
  attacked,
  figure,
  pause,
  purchase,
  sentBy,
  signedFor,
} from './attacked-gateway.ts'

const usage = { prompt_tokens: 1, completion_tokens: 4 }
const hostile =
  'no\r\nX-Evil: evil-header\r\n\r\ndata: {"choices":[{"delta":{"content":"evil-text"}}]}\n\ndata: [DONE]\n\nevent: evil-event\ndata: {}\n\n'
const hostileError = { message: hostile, type: hostile, code: hostile, param: hostile }

let upstream: UpstreamServer
const opened: Attacked[] = []

async function open(payers: number, environment: Readonly<Record<string, string>>) {
  const gateway = await attacked(payers, environment)
  opened.push(gateway)
  return gateway
}

beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', usage),
    refuse: (response) => {
      response.writeHead(400, {
        'Content-Type': 'application/json',
        'X-Evil': 'evil-header',
        'X-Request-Id': 'evil-header',
        'Retry-After': '86400',
        'Set-Cookie': 'evil=evil-header',
      })
      response.end(JSON.stringify({ error: hostileError }))
    },
    fail: (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Evil': 'evil-header' })
      response.write(chunk({ role: 'assistant', content: 'first' }))
      response.end(`data: ${JSON.stringify({ error: hostileError })}\n\n`)
    },
    frames: (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: 'first' }))
      response.write(': evil-comment\nevent: evil-event\nid: evil-id\nretry: 1\n')
      response.write(chunk({ content: ' last' }, { evil: 'evil-field' }))
      response.write(chunk({}, { usage }, 'stop'))
      response.end('data: [DONE]\n\n')
    },
  })
})
afterAll(async () => {
  for (const gateway of opened) await gateway.stop()
  upstream.close()
})

const providers = () => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: upstream.url })
const body = chatOf('hello', { model: 'openai/gpt-4.1' })

test('parallel payers whose payments do not settle, with overlap', async () => {
  const gateway = await open(60, {
    ...providers(),
    SETTLE_MODE: 'overlap',
    OVERLAP_CAP_PER_PAYER_USDC: '0.05',
    OVERLAP_CAP_USDC: '0.3',
  })
  const { devnet } = gateway
  const served: number[] = []
  let quote = 0n
  for (const wave of [0, 1]) {
    const payers = devnet.payers.slice(30 * wave, 30 * wave + 30)
    const asked = [...payers, ...payers.slice(0, 5), ...payers.slice(0, 5), ...payers.slice(0, 5)]
    const signed = await Promise.all(asked.map((payer) => signedFor(gateway, { payer, body })))
    quote = BigInt(amountOf(signed[0]!))
    const before = upstream.arrived.length
    await devnet.setAutomine('off')
    const answers = signed.map((headers) => post(gateway, chatPath, { body, headers }))
    await pause(2)
    for (const { address } of payers) await devnet.blacklist(address)
    await devnet.setAutomine('on')
    await devnet.mine(1)
    for (const answer of answers) expect((await answer).status).not.toBe(200)
    served.push(upstream.arrived.length - before)
  }
  const [first = 0, second = 0] = served
  figure(
    `45 payments of 30 payers that do not settle, at ${quote} units: ${first} calls; 45 of 30 others: ${second}`,
  )
  expect(first).toBeGreaterThan(0)
  expect(BigInt(first + second) * quote).toBeLessThanOrEqual(300_000n)
})

function amountOf(headers: Readonly<Record<string, string>>): string {
  const text = Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString()
  return (JSON.parse(text) as { accepted: { amount: string } }).accepted.amount
}

const wires = [
  ['chat', chatPath, (text: string) => chatOf(text, { model: 'openai/gpt-4.1' })],
  [
    'responses',
    '/v1/responses',
    (text: string) => ({ model: 'openai/gpt-4.1', input: text, max_output_tokens: 100 }),
  ],
  [
    'messages',
    '/v1/messages',
    (text: string) => ({
      model: 'openai/gpt-4.1',
      messages: [{ role: 'user', content: text }],
      max_tokens: 100,
    }),
  ],
] as const

test('errors, headers and frames of a provider that are meant for the client', async () => {
  const gateway = await open(20, providers())
  const seen: string[] = []
  let payer = 0
  for (const [wire, path, of] of wires) {
    for (const script of ['refuse', 'fail', 'frames']) {
      for (const stream of [true, false]) {
        const asked = { ...of(script), stream }
        const account = gateway.devnet.payers[payer++]!
        const response = await purchase(gateway, { payer: account, body: asked, path })
        const text = await response.text()
        const shown = `${JSON.stringify([...response.headers])}${text}`
        if (shown.includes('evil')) seen.push(`${wire} ${script} ${stream}: ${shown}`)
        if (stream && text.startsWith('data:')) expect(eventsOf(text).length).toBeGreaterThan(0)
      }
    }
  }
  figure(`18 hostile answers of a provider: ${seen.length} show a word of theirs`)
  expect(seen).toEqual([])
})

test('a free quota asked for by five hundred addresses', async () => {
  const gateway = await open(1, {
    ...providers(),
    FREE_QUOTA_USDC: '0.02',
    FREE_QUOTA_TOTAL_USDC: '0.1',
  })
  const ask = async (address: string): Promise<number> => {
    const headers = { 'X-Forwarded-For': address }
    const response = await post(gateway, chatPath, { body, headers })
    await response.arrayBuffer()
    return response.status
  }
  const before = upstream.arrived.length
  const statuses: number[] = []
  for (let group = 0; group < 10; group += 1) {
    const addresses = Array.from({ length: 50 }, (_, host) => `192.0.${group}.${host}`)
    statuses.push(...(await Promise.all(addresses.map(ask))))
  }
  const free = upstream.arrived.length - before
  const sent = await sentBy(gateway.devnet)
  figure(`a free quota, 500 addresses: ${free} calls, ${sent} transactions`)
  expect(free).toBe(statuses.filter((status) => status === 200).length)
  // 0.001 USDC each.
  expect(free).toBeLessThanOrEqual(100)
  expect(sent).toBe(0)
})
