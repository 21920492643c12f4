import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'
import {
  anthropicEvents,
  geminiEvents,
  openAiEvents,
  openVendorServer,
  type VendorRequest,
  type VendorServer,
} from './vendor-server.ts'

let vendors: VendorServer
let gateway: TestGateway
beforeAll(async () => {
  vendors = await openVendorServer((request) => ({ events: eventsFor(request) }))
  gateway = await openGateway({
    REFUND_MIN_USDC: '1',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: `${vendors.url}/openai`,
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: `${vendors.url}/anthropic`,
    GEMINI_API_KEY: 'k',
    GEMINI_BASE_URL: `${vendors.url}/gemini`,
    MISTRAL_API_KEY: 'k',
    MISTRAL_BASE_URL: `${vendors.url}/mistral`,
  })
})
afterAll(async () => {
  await gateway.stop()
  vendors.close()
})

/** A call of the tool to a question, and text to a result; Claude and Gemini sign what they say. */
function eventsFor({ path, body }: VendorRequest): readonly string[] {
  const turns = (body['messages'] ?? body['contents']) as readonly object[]
  const isAnswered = /"role":"tool"|tool_result|functionResponse/.test(JSON.stringify(turns.at(-1)))
  if (path.startsWith('/gemini')) {
    const functionCall = { name: 'look', args: { at: 'gemini' } }
    return geminiEvents([
      isAnswered ? { text: 'Seen.' } : { functionCall, thoughtSignature: 'gemini-signed' },
    ])
  }
  if (path.startsWith('/anthropic')) {
    const text = {
      start: { type: 'text', text: '' },
      deltas: [{ type: 'text_delta', text: 'Seen.' }],
    }
    return isAnswered
      ? anthropicEvents([text], 'end_turn')
      : anthropicEvents([claudeThought, claudeSecret, claudeCall], 'tool_use')
  }
  const vendor = path.startsWith('/mistral') ? 'mistral' : 'openai'
  const id = vendor === 'mistral' ? 'D681PevKs' : 'call_AbCdEfGhIjKlMnOpQrStUvWx'
  const call = { name: 'look', arguments: JSON.stringify({ at: vendor }) }
  return isAnswered
    ? openAiEvents([{ role: 'assistant', content: 'Seen.' }], 'stop')
    : openAiEvents(
        [{ tool_calls: [{ index: 0, id, type: 'function', function: call }] }],
        'tool_calls',
      )
}

const claudeThought = {
  start: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: 'Let me see.' },
    { type: 'signature_delta', signature: 'claude-signed' },
  ],
}
const claudeSecret = {
  start: { type: 'redacted_thinking', data: 'claude-sealed' },
  deltas: [],
}
const claudeCall = {
  start: { type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'look', input: {} },
  deltas: [{ type: 'input_json_delta', partial_json: '{"at":"claude"}' }],
}

const models = [
  'openai/gpt-4.1-mini',
  'anthropic/claude-sonnet-5',
  'google/gemini-3.5-flash',
  'mistralai/mistral-large-2512',
] as const

test('one conversation moves between OpenAI, Claude, Gemini and Mistral and back, with tools', async () => {
  const { fetch, payments, quotes } = openPayingFetch(gateway, 0)
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })
  const tool = {
    type: 'function' as const,
    function: { name: 'look', parameters: { type: 'object' } },
  }
  const messages: OpenAI.ChatCompletionMessageParam[] = []
  const looked: string[] = []
  for (const model of [...models, ...models]) {
    messages.push({ role: 'user', content: 'Look.' })
    for (let pending = true; pending; ) {
      const body = { model, messages, tools: [tool], max_tokens: 100 }
      const message = (await client.chat.completions.create(body)).choices[0]?.message
      if (message === undefined) throw new Error('no message')
      messages.push(message)
      const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function')
      for (const { id, function: called } of calls) {
        looked.push((JSON.parse(called.arguments) as { readonly at: string }).at)
        messages.push({ role: 'tool', tool_call_id: id, content: 'seen' })
      }
      if (calls.length === 0) expect(message.content).toBe('Seen.')
      pending = calls.length > 0
    }
  }
  const once = ['openai', 'claude', 'gemini', 'mistral']
  expect(looked).toEqual([...once, ...once])
  expect([quotes(), new Set(payments).size]).toEqual([16, 16])
  for (const id of payments) expect((await gateway.record(id)).status).toBe('completed')

  const [openai, claude, gemini, mistral] = ['/openai', '/anthropic', '/gemini', '/mistral'].map(
    (path) => JSON.stringify(vendors.received.findLast((one) => one.path.startsWith(path))?.body),
  )
  expect(openai).not.toMatch(/signed|reasoning|Let me see/)
  expect(claude?.match(/claude-signed/g)).toHaveLength(2)
  expect(claude?.match(/claude-sealed/g)).toHaveLength(2)
  expect(claude).not.toMatch(/gemini-signed/)
  expect(gemini?.match(/"gemini-signed"/g)).toHaveLength(2)
  expect(gemini).not.toMatch(/claude-signed|Let me see/)
  expect(mistral).not.toMatch(/signed|reasoning|Let me see/)
  const ids = [...(mistral ?? '').matchAll(/"tool_call_id":"([^"]*)"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(8)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
})

test('the stream helper of openai brings every signature back', async () => {
  const { fetch } = openPayingFetch(gateway, 2)
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })
  const tool = {
    type: 'function' as const,
    function: { name: 'look', parameters: { type: 'object' } },
  }
  const body = { model: 'anthropic/claude-sonnet-5', tools: [tool], max_tokens: 100 }
  const asked = { role: 'user' as const, content: 'Look.' }
  const streamed = client.chat.completions.stream({ ...body, messages: [asked] })
  const message = await streamed.finalMessage()
  const id = message.tool_calls?.[0]?.id ?? ''
  const seen = { role: 'tool' as const, tool_call_id: id, content: 'seen' }
  await client.chat.completions.create({ ...body, messages: [asked, message, seen] })
  const sent = vendors.received.at(-1)?.body['messages'] as readonly { content: object[] }[]
  expect(sent[1]?.content).toMatchObject([
    { type: 'thinking', signature: 'claude-signed' },
    { type: 'redacted_thinking', data: 'claude-sealed' },
    { type: 'tool_use', name: 'look' },
  ])
})

test('an image in the result of a tool reaches Claude and Gemini there, and OpenAI as the user’s', async () => {
  const { fetch, payments } = openPayingFetch(gateway, 1)
  const client = new Anthropic({ baseURL: gateway.url, apiKey: 'none', fetch, maxRetries: 0 })
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'AAAA' }
  const image = { type: 'image' as const, source }
  const [openai, claude, gemini] = models
  const sent: string[] = []
  for (const model of [openai, claude, gemini]) {
    await client.messages.create({
      model,
      max_tokens: 100,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      thinking: { type: model === gemini ? 'adaptive' : 'disabled' },
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] },
      ],
    })
    sent.push(JSON.stringify(vendors.received.at(-1)?.body))
  }
  for (const id of payments) expect((await gateway.record(id)).status).toBe('completed')
  expect(sent[0]).toContain('"role":"tool","content":""')
  expect(sent[0]).toContain('{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}')
  const [toClaude, toGemini] = sent.slice(1).map((body) => JSON.parse(body))
  expect(toClaude.messages.at(-1).content).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: [image] },
  ])
  expect(toClaude.thinking).toEqual({ type: 'disabled' })
  expect(toGemini.contents.at(-1).parts[0].functionResponse.parts).toEqual([
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
  ])
})
