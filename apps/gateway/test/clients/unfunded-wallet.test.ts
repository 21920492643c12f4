import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { createFareboxClient } from '@farebox/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { APICallError, generateText } from 'ai'
import OpenAI from 'openai'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post } from '../support/sign-payment.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway.stop())

const model = 'openai/gpt-4.1-mini'
const messages = [{ role: 'user' as const, content: 'Hello' }]
const privateKey = generatePrivateKey()
const { address } = privateKeyToAccount(privateKey)
const holds = new RegExp(`${address} holds 0 USDC on the devnet; 0\\.\\d+ is needed\\.`, 'i')

/** A stock fetch over a wallet without money. */
function poorFetch(): typeof fetch {
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey))
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:84532', scheme))
}

async function thrown(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('our client states what an unfunded wallet holds and needs', async () => {
  const client = createFareboxClient({
    baseUrl: gateway.url,
    account: privateKeyToAccount(privateKey),
  })
  await expect(client.chat({ model, messages })).rejects.toMatchObject({
    code: 'payment_rejected',
    message: expect.stringMatching(holds),
  })
})

test('the Anthropic client states it in its error', async () => {
  const client = new Anthropic({
    baseURL: gateway.url,
    apiKey: 'none',
    fetch: poorFetch(),
    maxRetries: 0,
  })
  await expect(client.messages.create({ model, messages, max_tokens: 100 })).rejects.toThrow(holds)
})

test('the AI SDK has it in the body of its error', async () => {
  const provider = createOpenAICompatible({
    name: 'farebox',
    baseURL: `${gateway.url}/v1`,
    fetch: poorFetch(),
  })
  const error = await thrown(generateText({ model: provider(model), messages, maxRetries: 0 }))
  expect(APICallError.isInstance(error) && error.statusCode).toBe(402)
  expect(APICallError.isInstance(error) && error.responseBody).toMatch(holds)
})

test('the openai client has it in a header of its error', async () => {
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: poorFetch(),
    maxRetries: 0,
  })
  const error = await thrown(client.chat.completions.create({ model, messages }))
  const header = error instanceof OpenAI.APIError ? error.headers?.get('payment-required') : null
  expect(Buffer.from(header ?? '', 'base64').toString()).toMatch(holds)
})

test('a payment header that cannot be read is a 402 with the reason', async () => {
  const headers = { 'PAYMENT-SIGNATURE': 'garbage' }
  const response = await post(gateway, chatPath, { body: chatOf('Hello'), headers })
  expect(response.status).toBe(402)
  expect(await response.json()).toMatchObject({
    error: 'Payment Required',
    message: expect.stringContaining('cannot be read'),
  })
  expect((await buy(gateway, 0, { body: chatOf('Hello', { max_tokens: 10 }) })).status).toBe(200)
})
