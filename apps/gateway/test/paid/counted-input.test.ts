import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

const model = 'anthropic/claude-sonnet-4.5'
/** In units of USDC a token: the input, what is cached for an hour, and the output. */
const rates = { input: 3n, hour: 6n, output: 15n }
const cached = 1_000

const cache_control = { type: 'ephemeral', ttl: '1h' }
const content = [{ type: 'text', text: 'word '.repeat(cached), cache_control }]

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

const start = event('message_start', {
  message: {
    usage: {
      input_tokens: 8,
      cache_creation_input_tokens: cached,
      cache_creation: { ephemeral_1h_input_tokens: cached, ephemeral_5m_input_tokens: 0 },
      output_tokens: 1,
    },
  },
})
const words = event('content_block_delta', {
  index: 0,
  delta: { type: 'text_delta', text: 'A fare box.' },
})

/** What the provider sends before it falls silent or breaks off. */
let script: { readonly events: string; readonly end: 'silent' | 'broken' }
let provider: Server
let providerUrl: string
let gateway: TestGateway

beforeAll(async () => {
  provider = createServer((request, response) => {
    void text(request).then(() => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(script.events, () => {
        if (script.end === 'broken') response.destroy()
      })
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  providerUrl = `http://127.0.0.1:${port}`
  gateway = await openGateway({
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: providerUrl,
    MIN_CHARGE_USDC: '0.000002',
  })
})
afterAll(async () => {
  await gateway.stop()
  provider.closeAllConnections()
  provider.close()
})

async function finalRecord(payer: number) {
  for await (const { payment } of gateway.store.exportPayments()) {
    if (payment.authorization.from === gateway.payer(payer).address.toLowerCase()) {
      return gateway.refunded(payment.id)
    }
  }
  throw new Error(`payer ${payer} paid nothing`)
}

type ReceivedChunk = { readonly request: { readonly origin: string }; readonly chunk: Uint8Array }

/** Resolves when the gateway, which runs in this process, has read these events of the provider. */
async function eventsRead(events: string): Promise<void> {
  const channel = 'undici:request:bodyChunkReceived'
  let received = ''
  await new Promise<void>((resolve) => {
    subscribe(channel, function note(message) {
      const { request, chunk } = message as ReceivedChunk
      if (request.origin === providerUrl) received += Buffer.from(chunk).toString()
      if (!received.includes(events)) return
      unsubscribe(channel, note)
      resolve()
    })
  })
  await setImmediate()
}

const body = (stream: boolean) => ({
  model,
  stream,
  max_tokens: 100,
  messages: [{ role: 'user', content }],
})

function costOf(output: number): string {
  return String(8n * rates.input + BigInt(cached) * rates.hour + BigInt(output) * rates.output)
}

test('reasoning that the provider is not sent is not counted', async () => {
  const estimate = async (answer: object) => {
    const user = { role: 'user', content: 'Hello' }
    const messages = [user, { role: 'assistant', content: 'Hi', ...answer }, user]
    const response = await post(gateway, '/v1/estimate', { body: { model, messages } })
    return ((await response.json()) as { estimatedInputTokens: number }).estimatedInputTokens
  }
  const thoughts = 'word '.repeat(1_000)
  const without = await estimate({})
  expect(await estimate({ reasoning: thoughts })).toBe(without)
  expect(await estimate({ reasoning_content: thoughts })).toBe(without)
  const reasoning_details = [{ type: 'reasoning.text', text: thoughts }]
  expect(await estimate({ reasoning_details })).toBeGreaterThan(without + 900)
})

test('a stream that breaks off is billed for the input as the provider counted it, its cache included', async () => {
  script = { events: start + words, end: 'broken' }
  const { v2 } = await signPayment(gateway, 0, { body: body(true) })
  const answer = await post(gateway, chatPath, { body: body(true), headers: v2 })
  expect(await answer.text()).toContain('upstream_truncated')
  const { usage, cost } = await finalRecord(0)
  expect(usage).toMatchObject({ inputTokens: cached + 8, source: 'counted' })
  expect(cost?.usdc).toBe(costOf(Number(usage?.['outputTokens'])))
})

test.each([
  ['after the first word of a stream', start + words, true, 1],
  ['before the first word of a stream', start, true, 2],
  ['before the first word of JSON', start, false, 3],
  ['before the end of JSON', start + words, false, 4],
] as const)('a client that leaves %s pays for the same input', async (_, events, stream, payer) => {
  script = { events, end: 'silent' }
  const { v2 } = await signPayment(gateway, payer, { body: body(stream) })
  const leaving = new AbortController()
  const read = eventsRead(events)
  const sent = fetch(gateway.url + chatPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...v2 },
    body: JSON.stringify(body(stream)),
    signal: leaving.signal,
  })
  await read
  if (stream) await sent
  leaving.abort()
  await sent.catch(() => undefined)
  const { usage, cost } = await finalRecord(payer)
  expect(usage).toMatchObject({ inputTokens: cached + 8, source: 'counted' })
  const output = Number(usage?.['outputTokens'])
  expect(output > 0).toBe(events.includes('fare box'))
  expect(cost?.usdc).toBe(costOf(output))
})
