import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'
import { openAiEvents, openVendorServer, type VendorServer } from './vendor-server.ts'

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
  vendor = await openVendorServer(({ body }) => ({
    events,
    cutAfter: Number(/cut after (\d+)/.exec(JSON.stringify(body['messages']))?.[1]),
  }))
  gateway = await openGateway({
    REFUND_MIN_USDC: '1',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: vendor.url,
    MISTRAL_API_KEY: 'k',
    MISTRAL_BASE_URL: vendor.url,
  })
})
afterAll(async () => {
  await gateway.stop()
  vendor.close()
})

type Ask = (after: number, fetch: typeof globalThis.fetch) => Promise<unknown>

const openai = (fetch: typeof globalThis.fetch) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })

/**
 * Reads a stream to its end, or to what its own client takes for an error. They use two
 * providers, since one that fails too often is not called for a while.
 */
const wires: Readonly<Record<string, Ask>> = {
  chat: (after, fetch) => {
    const model = 'openai/gpt-4.1-mini'
    const messages = [{ role: 'user' as const, content: `cut after ${after}` }]
    return openai(fetch).chat.completions.stream({ model, messages, max_tokens: 100 }).done()
  },
  responses: async (after, fetch) => {
    const body = {
      model: 'openai/gpt-4.1-mini',
      input: `cut after ${after}`,
      max_output_tokens: 100,
    }
    for await (const event of openai(fetch).responses.stream(body)) {
      if (event.type === 'response.failed') throw new Error(event.response.error?.message)
    }
  },
  messages: (after, fetch) => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: 'none', fetch, maxRetries: 0 })
    const model = 'mistralai/mistral-large-2512'
    const messages = [{ role: 'user' as const, content: `cut after ${after}` }]
    return client.messages.stream({ model, messages, max_tokens: 100 }).finalMessage()
  },
}

test.each(
  Object.entries(wires).flatMap(([wire, ask]) => tried.map((after) => ({ wire, after, ask }))),
)(
  '$wire cut after $after events: the client throws, and what came is billed',
  async ({ ask, after }) => {
    const { fetch, payments } = openPayingFetch(gateway, 0)
    await expect(ask(after, fetch)).rejects.toThrow('The provider broke off.')
    const [id = ''] = payments
    await expect.poll(async () => (await gateway.record(id)).cost).not.toBeNull()
    const { status, paid, cost, refund } = await gateway.record(id)
    expect(status).toBe('completed')
    expect(BigInt(cost?.usdc ?? '0')).toBeGreaterThan(0n)
    expect(BigInt(paid.usdc)).toBe(BigInt(cost?.usdc ?? '0') + BigInt(refund?.usdc ?? '0'))
  },
)
