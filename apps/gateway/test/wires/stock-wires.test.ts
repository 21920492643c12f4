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

test('the openai client buys Responses, whole and streamed, one payment each', async () => {
  const { fetch: paidFetch, payments } = payingFetch(0)
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: paidFetch,
    maxRetries: 0,
  })
  const whole = await client.responses.create({ model, input: 'Say hello.', max_output_tokens: 50 })
  expect(whole.output_text.toLowerCase()).toContain('sandbox')
  expect(whole.usage?.output_tokens).toBeGreaterThan(0)
  const streamed = await client.responses
    .stream({ model, input: 'Say hello.', max_output_tokens: 60 })
    .finalResponse()
  expect(streamed.output_text.toLowerCase()).toContain('sandbox')
  expect(streamed.usage?.output_tokens).toBeGreaterThan(0)
  await expectCompleted(payments, 2)
})

test('the Anthropic client buys Messages, whole and streamed, one payment each', async () => {
  const { fetch: paidFetch, payments } = payingFetch(1)
  const client = new Anthropic({
    baseURL: gateway.url,
    apiKey: 'none',
    fetch: paidFetch,
    maxRetries: 0,
  })
  const asks = {
    model,
    max_tokens: 50,
    messages: [{ role: 'user' as const, content: 'Say hello.' }],
  }
  const whole = await client.messages.create(asks)
  expect(JSON.stringify(whole.content).toLowerCase()).toContain('sandbox')
  expect(whole.usage.output_tokens).toBeGreaterThan(0)
  const streamed = await client.messages.stream({ ...asks, max_tokens: 60 }).finalMessage()
  expect(JSON.stringify(streamed.content).toLowerCase()).toContain('sandbox')
  expect(streamed.stop_reason).toMatch(/end_turn|max_tokens/)
  await expectCompleted(payments, 2)
})

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
    client.images.generate({ prompt: 'A fare box', style: 'natural' }),
  ).rejects.toMatchObject({ status: 400, param: 'style' })
})

test('the openai client lists the models', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  expect(ids).toContain(model)
  expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
})

test('a tool is called and its result answered, over both wires', async () => {
  const { fetch: paidFetch, payments } = payingFetch(2)
  const openai = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: paidFetch,
    maxRetries: 0,
  })
  const tools: OpenAI.Responses.FunctionTool[] = [
    { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
  ]
  const input: OpenAI.Responses.ResponseInputItem[] = [
    { role: 'user', content: 'Weather? [[sandbox: tool]]' },
  ]
  const first = await openai.responses.create({ model, input, tools, max_output_tokens: 100 })
  const call = first.output.find((item) => item.type === 'function_call')
  expect(call).toMatchObject({ name: 'weather' })
  const second = await openai.responses.create({
    model,
    tools,
    max_output_tokens: 100,
    input: [
      ...input,
      ...first.output.filter((item) => item.type === 'function_call'),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: '25 degrees' },
      { role: 'user', content: 'Thank you.' },
    ],
  })
  expect(second.output_text).not.toBe('')
  await expectCompleted(payments, 2)
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
