import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import { createFareboxClient, type FareboxClient } from '@farebox/client'
import { parseUsdc } from '@farebox/money'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { startProxy } from 'farebox'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { anthropicMessages } from './anthropic-conversation.ts'
import { type Conversation, model, result } from './conversation.ts'
import { langChainClients } from './langchain-conversation.ts'
import { openAiChat, openAiResponses } from './openai-conversations.ts'

// packages/command/test/proxy.test.ts has the proxy itself; LangChain is slow to load.

/** The key that the conversations send. */
const key = 'none'
const maxTotal = parseUsdc('1')

let gateway: TestGateway
let client: FareboxClient
let proxy: Awaited<ReturnType<typeof startProxy>>
const paid: (string | undefined)[] = []
const refused: string[] = []

beforeAll(async () => {
  gateway = await openGateway({ REFUND_MIN_USDC: '1' })
  client = createFareboxClient({
    baseUrl: gateway.url,
    account: gateway.account(0),
    maxAmountPerCall: parseUsdc('0.1'),
    maxTotal,
  })
  proxy = await startProxy({
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
  })
})
beforeEach(() => {
  paid.length = 0
  refused.length = 0
})
afterAll(async () => {
  await proxy.stop()
  await gateway.stop()
})

const clients: Readonly<Record<string, Conversation>> = {
  'openai chat': openAiChat(OpenAI),
  'openai Responses': openAiResponses(OpenAI),
  'anthropic sdk': anthropicMessages(Anthropic),
  ...langChainClients({ ChatOpenAI, ChatAnthropic }),
}

test.each(Object.entries(clients))(
  '%s calls a tool through the proxy, whole and streamed',
  async (_, converse) => {
    for (const streamed of [false, true]) {
      const outcome = await converse({ url: proxy.url, fetch, streamed })
      expect(outcome.places).toEqual(['sandbox', 'sandbox'])
      expect(outcome.answers).toEqual(Array(2).fill(expect.stringContaining(result)))
    }
    await expect.poll(() => new Set(paid).size).toBe(8)
  },
)

/** What Claude Code 2.1 sends, shorter: its token, betas, context management, tools and cache marks. */
function claudeCode(maxTokens: number): Promise<Anthropic.Beta.BetaMessage> {
  return new Anthropic({
    baseURL: proxy.url,
    apiKey: null,
    authToken: key,
    maxRetries: 0,
  }).beta.messages
    .stream({
      model,
      max_tokens: maxTokens,
      betas: ['claude-code-20250219', 'context-management-2025-06-27'],
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      tools: [{ name: 'Bash', description: 'a '.repeat(6_000), input_schema: { type: 'object' } }],
      metadata: { user_id: 'user_1_account__session_2' },
      system: [{ type: 'text', text: 'You write code.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    })
    .finalMessage()
}

test("Claude Code's request to the beta interface of Messages is answered and paid", async () => {
  expect(await claudeCode(1_000)).toMatchObject({ type: 'message', stop_reason: 'end_turn' })
  await expect.poll(() => paid).toHaveLength(1)
})

async function curl(maxTokens: number): Promise<string> {
  const body = {
    model,
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: maxTokens,
    stream: true,
  }
  const url = `${proxy.url}/v1/chat/completions`
  const headers = ['-H', `authorization: Bearer ${key}`, '-H', 'content-type: application/json']
  const sent = [...headers, '-d', JSON.stringify(body), url]
  return (await promisify(execFile)('curl', ['-sN', '-w', '%{http_code}', ...sent])).stdout
}

test('curl streams an answer', async () => {
  expect(await curl(100)).toMatch(/data: \[DONE\]\s+200$/)
  await expect.poll(() => paid).toHaveLength(1)
})

test('a call above the cap is an error of each client, and is not paid', async () => {
  const spent = client.spent()
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const max_tokens = 100_000
  const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: key, maxRetries: 0 })
  const chat = new ChatOpenAI({
    model,
    apiKey: key,
    maxTokens: max_tokens,
    maxRetries: 0,
    configuration: { baseURL: `${proxy.url}/v1` },
  })
  const errors = await Promise.allSettled([
    openai.chat.completions.create({ model, messages, max_completion_tokens: max_tokens }),
    chat.invoke('Hello'),
    claudeCode(max_tokens),
  ])
  const reason = { status: 402, message: expect.stringMatching(/costs up to/) }
  expect(errors).toMatchObject(Array(3).fill({ status: 'rejected', reason }))
  expect(await curl(max_tokens)).toMatch(/spend_cap_exceeded.*402$/s)
  expect(refused).toEqual(Array(4).fill('spend_cap_exceeded'))
  expect(paid).toEqual([])
  expect(client.spent()).toBe(spent)
})
