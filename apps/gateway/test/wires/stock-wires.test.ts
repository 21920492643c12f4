import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const payingFetch = (index: number) => openPayingFetch(gateway, index)

async function expectCompleted(payments: readonly string[], count: number): Promise<void> {
  expect(new Set(payments).size).toBe(count)
  for (const id of payments) {
    const record = await gateway.refunded(id)
    expect(record.status).toBe('completed')
    expect(BigInt(record.paid.usdc)).toBe(
      BigInt(record.cost?.usdc ?? '0') + BigInt(record.refund?.usdc ?? '0'),
    )
  }
}

const model = 'openai/gpt-4.1-mini'

test('the openai client buys images', async () => {
  const { fetch: paidFetch, payments } = payingFetch(3)
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: paidFetch,
    maxRetries: 0,
  })
  const images = await client.images.generate({ prompt: 'A fare box', size: '512x512', n: 2 })
  expect(images.data?.map(({ url }) => url)).toEqual([expect.any(String), expect.any(String)])
  await expectCompleted(payments, 1)
  await expect(client.images.generate({ prompt: 'A fare box', size: '1x1' })).rejects.toMatchObject(
    { status: 400, param: 'size' },
  )
  await expect(
    client.images.generate({ prompt: 'A fare box', background: 'transparent' }),
  ).rejects.toMatchObject({ status: 400, param: 'background' })
})

test('the openai client lists the models', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  expect(ids).toContain(model)
  expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
})

test('errors have the shape that the client of each wire reads, and name its own field', async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 })
  await expect(
    openai.responses.create({ model: 'acme/none', input: 'Hi', previous_response_id: 'resp_1' }),
  ).rejects.toMatchObject({ status: 400, param: 'previous_response_id' })
  await expect(
    openai.responses.create({ model, input: 'Hi', max_output_tokens: 0 }),
  ).rejects.toMatchObject({ status: 400, param: 'max_output_tokens' })
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: 'none', maxRetries: 0 })
  await expect(
    anthropic.messages.create({
      model: 'acme/none',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  ).rejects.toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  })
})

test.each(['/v1/responses', '/v1/messages', '/v1/images/generations'])(
  '%s without a body states its price',
  async (path) => {
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST' })
    expect(response.status).toBe(402)
    expect(response.headers.get('payment-required')).not.toBeNull()
    const body = (await response.json()) as { accepts: { resource: string }[] }
    expect(body.accepts[0]?.resource).toBe(`${gateway.url}${path}`)
  },
)

const illustrated =
  '[[sandbox: citations=1 pictures=1 tokens=30 first_token_ms=0 tokens_per_second=20000]]'
const source = { url: 'https://example.com/sources/1', title: 'Source 1' }

test('citations and pictures reach the openai client over Responses, and the next request uncounted', async () => {
  const { fetch: paidFetch, payments } = payingFetch(6)
  const baseURL = `${gateway.url}/v1`
  const client = new OpenAI({ baseURL, apiKey: 'none', fetch: paidFetch, maxRetries: 0 })
  const body = { model, input: illustrated, max_output_tokens: 100 }
  const { output } = await client.responses.stream(body).finalResponse()
  const annotations = [{ type: 'url_citation', ...source, start_index: 0, end_index: 28 }]
  const result = expect.stringMatching(/^iVBOR/)
  expect(output).toMatchObject([
    { type: 'message', content: [{ type: 'output_text', annotations }] },
    { type: 'image_generation_call', status: 'completed', output_format: 'png', result },
  ])
  const input = [...output, { role: 'user', content: 'More' }] as OpenAI.Responses.ResponseInput
  expect((await client.responses.inputTokens.count({ model, input })).input_tokens).toBeLessThan(
    100,
  )
  await expectCompleted(payments, 1)
})

test('citations and pictures reach the Anthropic client, and the next request uncounted', async () => {
  const { fetch: paidFetch, payments } = payingFetch(7)
  const baseURL = gateway.url
  const client = new Anthropic({ baseURL, apiKey: 'none', fetch: paidFetch, maxRetries: 0 })
  const asked = { role: 'user' as const, content: illustrated }
  const body = { model, messages: [asked], max_tokens: 100 }
  const { content } = await client.messages.stream(body).finalMessage()
  expect(content).toMatchObject([
    { type: 'text', citations: [{ type: 'web_search_result_location', ...source }] },
    { type: 'text', text: expect.stringMatching(/^!\[picture\]\(data:image\/png;base64,iVBOR/) },
  ])
  const messages = [asked, { role: 'assistant' as const, content }, asked]
  expect((await client.messages.countTokens({ model, messages })).input_tokens).toBeLessThan(200)
  await expectCompleted(payments, 1)
})

/** What an agent has after 400 calls of a tool. */
const turns = Array.from({ length: 400 }, (_, turn) => `call_${turn}`)

test('a conversation of 400 tool calls continues over Messages', async () => {
  const { fetch: paidFetch, payments } = payingFetch(4)
  const client = new Anthropic({
    baseURL: gateway.url,
    apiKey: 'none',
    fetch: paidFetch,
    maxRetries: 0,
  })
  const messages: Anthropic.MessageParam[] = turns.flatMap((id) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] },
  ])
  const tools = [{ name: 'look', input_schema: { type: 'object' as const } }]
  const body = { model: 'anthropic/claude-sonnet-5', messages, tools }
  const { input_tokens } = await client.messages.countTokens(body)
  expect(input_tokens).toBeGreaterThan(turns.length * 4)
  const streamed = client.messages.stream({ ...body, max_tokens: 100 })
  expect((await streamed.finalMessage()).stop_reason).toBe('end_turn')
  await expectCompleted(payments, 1)
})

test('a conversation of 400 tool calls continues over Responses', async () => {
  const { fetch: paidFetch, payments } = payingFetch(5)
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: paidFetch,
    maxRetries: 0,
  })
  const input = turns.flatMap((call_id) => [
    { type: 'function_call' as const, call_id, name: 'look', arguments: '{}' },
    { type: 'function_call_output' as const, call_id, output: 'seen' },
  ])
  const tools = [{ type: 'function' as const, name: 'look', parameters: {}, strict: false }]
  const { input_tokens } = await client.responses.inputTokens.count({ model, input, tools })
  expect(input_tokens).toBeGreaterThan(turns.length * 4)
  const body = { model, input, tools, max_output_tokens: 100 }
  const { status } = await client.responses.stream(body).finalResponse()
  expect(status).toBe('completed')
  await expectCompleted(payments, 1)
})

test('a chat completion has at most 100 messages, and the error names the interfaces that allow more', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const messages = Array.from({ length: 101 }, () => ({ role: 'user' as const, content: 'Hi' }))
  await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({
    status: 400,
    param: 'messages',
    message: expect.stringContaining('use /v1/responses or /v1/messages'),
  })
})
