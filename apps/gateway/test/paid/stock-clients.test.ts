import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { createWalletClient, http, publicActions } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wrapFetchWithPayment as wrapFetchLegacy } from 'x402-fetch'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const messages = [{ role: 'user' as const, content: 'Say something about fare boxes.' }]

/** A fetch that pays, and records the last response. */
function payingFetch(index: number) {
  const client = new x402Client().register(
    'eip155:84532',
    new ExactEvmScheme(gateway.account(index)),
  )
  const seen: { response?: Response } = {}
  const paid = wrapFetchWithPayment(fetch, client)
  const keep = async (...[input, init]: Parameters<typeof fetch>) => {
    const response = await paid(input, init)
    seen.response = response
    return response
  }
  return { fetch: keep, seen }
}

async function expectConserved(id: string, payer: string, before: bigint): Promise<void> {
  const record = await gateway.refunded(id)
  const cost = BigInt(record.cost?.usdc ?? '0')
  expect(record.status).toBe('completed')
  expect(cost).toBeGreaterThan(0n)
  expect(BigInt(record.paid.usdc)).toBe(cost + BigInt(record.refund?.usdc ?? '0'))
  expect(await gateway.balance(payer)).toBe(before - cost)
}

test('openai over @x402/fetch streams, and its first byte comes while the upstream is still writing', async () => {
  const { fetch: paidFetch, seen } = payingFetch(0)
  const { address } = gateway.payer(0)
  const before = await gateway.balance(address)
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch: paidFetch })
  const stream = await openai.chat.completions.create({
    model: 'openai/gpt-4.1-mini',
    // An answer of seconds: the upstream still writes when a busy machine reads the first byte.
    messages: [{ role: 'user', content: '[[sandbox: tokens_per_second=30]] Say something.' }],
    max_completion_tokens: 200,
    stream: true,
  })
  let text = ''
  let upstreamWriting = false
  let last: OpenAI.ChatCompletionChunk | undefined
  for await (const chunk of stream) {
    if (text === '') upstreamWriting = gateway.sandbox?.requests.at(-1)?.outcome === 'running'
    text += chunk.choices[0]?.delta.content ?? ''
    last = chunk
  }
  expect(text.toLowerCase()).toContain('sandbox')
  expect(upstreamWriting).toBe(true)
  expect(last?.choices[0]?.finish_reason).toMatch(/stop|length/)
  expect(last?.usage?.completion_tokens).toBeGreaterThan(0)
  const id = seen.response?.headers.get('x-payment-id') ?? ''
  expect(seen.response?.headers.get('x-should-retry')).toBe('false')
  expect(
    decodePaymentResponseHeader(seen.response?.headers.get('payment-response') ?? ''),
  ).toMatchObject({
    success: true,
    payer: expect.stringMatching(new RegExp(address, 'i')),
    network: 'eip155:84532',
  })
  await expectConserved(id, address, before)
})

test('openai over @x402/fetch, not streamed', async () => {
  const { fetch: paidFetch, seen } = payingFetch(1)
  const before = await gateway.balance(gateway.payer(1).address)
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', fetch: paidFetch })
  const completion = await openai.chat.completions.create({
    model: 'openai/gpt-4.1-mini',
    messages,
    max_completion_tokens: 200,
  })
  expect(completion.object).toBe('chat.completion')
  expect(completion.choices[0]?.message.content?.toLowerCase()).toContain('sandbox')
  expect(seen.response?.headers.get('cache-control')).toBe('private, no-store')
  await expectConserved(
    seen.response?.headers.get('x-payment-id') ?? '',
    gateway.payer(1).address,
    before,
  )
})

test('the AI SDK streams and generates', async () => {
  const { fetch: paidFetch, seen } = payingFetch(2)
  const before = await gateway.balance(gateway.payer(2).address)
  const provider = createOpenAICompatible({
    name: 'farebox',
    baseURL: `${gateway.url}/v1`,
    fetch: paidFetch,
  })
  const streamed = streamText({
    model: provider('openai/gpt-4.1-mini'),
    prompt: 'Hello',
    maxOutputTokens: 100,
    maxRetries: 0,
  })
  let text = ''
  for await (const part of streamed.textStream) text += part
  expect(text.toLowerCase()).toContain('sandbox')
  expect((await streamed.usage).outputTokens).toBeGreaterThan(0)
  await expectConserved(
    seen.response?.headers.get('x-payment-id') ?? '',
    gateway.payer(2).address,
    before,
  )
  const generated = await generateText({
    model: provider('openai/gpt-4.1-mini'),
    prompt: 'Hello',
    maxOutputTokens: 100,
    maxRetries: 0,
  })
  expect(generated.text.toLowerCase()).toContain('sandbox')
})

test('the legacy x402-fetch pays', async () => {
  const wallet = createWalletClient({
    account: gateway.account(3),
    chain: baseSepolia,
    transport: http(gateway.access.rpcUrl),
  }).extend(publicActions)
  const before = await gateway.balance(gateway.payer(3).address)
  const paid = wrapFetchLegacy(fetch, wallet as never)
  const response = await paid(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages, max_tokens: 100, stream: true }),
  })
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text).toMatch(/: receipt \{"id":"pay_/)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(response.headers.get('x-payment-response')).not.toBeNull()
  await expectConserved(
    response.headers.get('x-payment-id') ?? '',
    gateway.payer(3).address,
    before,
  )
})

test('a paid image is a PNG of the requested size', async () => {
  const { fetch: paidFetch, seen } = payingFetch(4)
  const before = await gateway.balance(gateway.payer(4).address)
  const response = await paidFetch(`${gateway.url}/v1/images/generate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      prompt: 'a fare box at dawn',
      width: 512,
      height: 768,
      numberResults: 2,
    }),
  })
  expect(response.status).toBe(200)
  const body = (await response.json()) as { images: { url: string }[] }
  expect(body.images).toHaveLength(2)
  const png = Buffer.from(await (await fetch(body.images[0]?.url ?? '')).arrayBuffer())
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 768])
  await expectConserved(
    seen.response?.headers.get('x-payment-id') ?? '',
    gateway.payer(4).address,
    before,
  )
})
