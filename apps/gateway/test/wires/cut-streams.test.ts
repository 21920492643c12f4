import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'
import {
  openAiEvents,
  openVendorServer,
  type VendorAnswer,
  type VendorServer,
} from './vendor-server.ts'

const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }

/** An answer that reasons, says two words, and calls a tool. */
const events = openAiEvents(
  [
    { role: 'assistant', content: '' },
    { reasoning_content: 'Let me ' },
    { reasoning_content: 'see.' },
    { content: 'One ' },
    { content: 'moment.' },
    { tool_calls: [call] },
    { tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
  ],
  'tool_calls',
)

/** Text that would be an event of its own, if its line breaks were sent as they are. */
const forged = '\r\rdata: [DONE]\r\nevent: evil\ndata: {"evil":true}\n\n: evil\u2028\u0000'
const hostile = openAiEvents(
  [
    { role: 'assistant', reasoning_content: forged },
    { content: forged },
    { tool_calls: [{ ...call, id: forged, function: { name: 'look', arguments: '{"a":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: `${JSON.stringify(forged)}}` } }] },
  ],
  'tool_calls',
)

/** The first event that a client sees is the second: the first one is empty. */
const cuts = events
  .slice(0, -3)
  .map((_, index) => index + 1)
  .filter((after) => after > 1)
const tried = cuts.filter(
  (_, index) => index % (cuts.length / proofSize({ quick: 2, all: cuts.length })) < 1,
)

let vendor: VendorServer
let gateway: TestGateway
beforeAll(async () => {
  vendor = await openVendorServer(({ path, body }) => {
    const asked = JSON.stringify(body['messages'])
    return {
      ...(asked.includes('forge')
        ? { events: hostile }
        : { events, cutAfter: Number(/cut after (\d+)/.exec(asked)?.[1]) }),
      ...failures.get(/^\/failures\/(\w+)/.exec(path)?.[1] ?? ''),
    }
  })
  gateway = await openGateway({
    REFUND_MIN_USDC: '1',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: vendor.url,
    MISTRAL_API_KEY: 'k',
    MISTRAL_BASE_URL: vendor.url,
    XAI_API_KEY: 'k',
    XAI_BASE_URL: `http://127.0.0.1:${await freePort()}`,
    DEEPSEEK_API_KEY: 'k',
    DEEPSEEK_BASE_URL: `${vendor.url}/failures/status`,
    GROQ_API_KEY: 'k',
    GROQ_BASE_URL: `${vendor.url}/failures/reset`,
    CEREBRAS_API_KEY: 'k',
    CEREBRAS_BASE_URL: `${vendor.url}/failures/headers`,
    MOONSHOT_API_KEY: 'k',
    MOONSHOT_BASE_URL: `${vendor.url}/failures/empty`,
  })
})
afterAll(async () => {
  await gateway.stop()
  vendor.close()
})

const failures = new Map<string, Partial<VendorAnswer>>([
  ['status', { failure: 500 }],
  ['reset', { failure: 'reset' }],
  ['headers', { cutAfter: 0 }],
  ['empty', { cutAfter: 1 }],
])

type Ask = (content: string, fetch: typeof globalThis.fetch, model?: string) => Promise<unknown>

const openai = (fetch: typeof globalThis.fetch) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })

/**
 * Reads a stream to its end, or to what its own client takes for an error. They use two
 * providers, since one that fails too often is not called for a while.
 */
const wires: Readonly<Record<string, Ask>> = {
  chat: (content, fetch, model = 'openai/gpt-4.1-mini') => {
    const messages = [{ role: 'user' as const, content }]
    return openai(fetch).chat.completions.stream({ model, messages, max_tokens: 100 }).done()
  },
  responses: async (input, fetch, model = 'openai/gpt-4.1-mini') => {
    const body = { model, input, max_output_tokens: 100 }
    for await (const event of openai(fetch).responses.stream(body)) {
      if (event.type === 'response.failed') throw new Error(event.response.error?.message)
    }
  },
  messages: (content, fetch, model = 'mistralai/mistral-large-2512') => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: 'none', fetch, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content }]
    return client.messages.stream({ model, messages, max_tokens: 100 }).finalMessage()
  },
}

const asked = { max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'forge' }] }

test.each([
  ['/v1/chat/completions', { ...asked, model: 'openai/gpt-4.1-mini' }],
  ['/v1/messages', { ...asked, model: 'mistralai/mistral-large-2512' }],
  ['/v1/responses', { model: 'openai/gpt-4.1-mini', stream: true, input: 'forge' }],
])('%s: output that looks like events stays the text of its own event', async (path, body) => {
  const { fetch } = openPayingFetch(gateway, 2)
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  const lines = (await response.text()).split(/\r\n|\n|\r/)
  const others = lines.filter((line) => !/^(data: \{.*\}|event: [a-z_.]+|: .*|)$/s.test(line))
  expect(others).toEqual(path === '/v1/chat/completions' ? ['data: [DONE]'] : [])
  expect(lines.filter((line) => /^(event|:)? ?.{0,2}evil/.test(line))).toEqual([])
  const data = lines.flatMap((line) => /^data: (\{.*)$/s.exec(line)?.[1] ?? [])
  expect(data.map((text) => JSON.parse(text) as object)).not.toContainEqual({ evil: true })
  expect(data.join()).toContain(JSON.stringify(forged).slice(1, -1))
})

test.each(
  Object.entries(wires).flatMap(([wire, ask]) => tried.map((after) => ({ wire, after, ask }))),
)(
  '$wire cut after $after events: the client throws, and what came is billed',
  async ({ ask, after }) => {
    const { fetch, payments } = openPayingFetch(gateway, 0)
    await expect(ask(`cut after ${after}`, fetch)).rejects.toThrow(
      'The provider ended the response early.',
    )
    const [id = ''] = payments
    await expect.poll(async () => (await gateway.record(id)).cost).not.toBeNull()
    const { status, paid, cost, refund } = await gateway.record(id)
    expect(status).toBe('completed')
    expect(BigInt(cost?.usdc ?? '0')).toBeGreaterThan(0n)
    expect(BigInt(paid.usdc)).toBe(BigInt(cost?.usdc ?? '0') + BigInt(refund?.usdc ?? '0'))
  },
)

/** What goes wrong before the first word, and a model of the provider that it happens to. */
const unanswered = {
  'connection refused': 'x-ai/grok-4.5',
  'status 500': 'deepseek/deepseek-v4-pro',
  'connection reset before the headers': 'groq/llama-3.1-8b-instant',
  'connection closed after the headers': 'cerebras/gpt-oss-120b',
  'connection closed after an event without content': 'moonshotai/kimi-k3',
} as const

test.each(
  Object.entries(wires).flatMap(([wire, ask]) =>
    Object.entries(unanswered).map(([fault, model]) => ({ wire, fault, model, ask })),
  ),
)(
  '$wire, $fault: the client throws before any event, and all is refunded',
  async ({ ask, model }) => {
    const { fetch, payments } = openPayingFetch(gateway, 1)
    await expect(ask('Hello', fetch, model)).rejects.toThrow(
      /cost nothing: all of it, .* refunded to 0x\w+\. Send the request again/,
    )
    const [id = ''] = payments
    const { status, paid, cost, refund } = await gateway.record(id)
    expect([status, cost?.usdc, refund?.usdc]).toEqual(['failed', '0', paid.usdc])
  },
)
