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

const model = 'openai/gpt-5.5'
/** Two calls with their results, and two questions, each answered with reasoning. */
const questions = ['Look. [[sandbox: tool reasoning=4]]', 'And why? [[sandbox: reasoning=4]]']

async function expectPaid(payments: readonly string[], count: number): Promise<void> {
  expect(new Set(payments).size).toBe(count)
  for (const id of payments) expect((await gateway.refunded(id)).status).toBe('completed')
}

test.each([false, true])(
  'chat: answers are pushed back as they came; streamed: %s',
  async (streamed) => {
    const { fetch: paidFetch, payments } = payingFetch(streamed ? 1 : 0)
    const client = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: 'none',
      fetch: paidFetch,
      maxRetries: 0,
    })
    const tools = [
      { type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } },
    ]
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    async function ask(withTools: boolean): Promise<OpenAI.ChatCompletionMessage> {
      const body = { model, messages, max_completion_tokens: 200, ...(withTools && { tools }) }
      const completion = streamed
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body)
      const message = completion.choices[0]?.message
      if (message === undefined) throw new Error('no message')
      messages.push(message)
      return message
    }
    for (const content of [questions[0], questions[1], questions[0], questions[1]]) {
      messages.push({ role: 'user', content: content ?? '' })
      const { tool_calls: calls = [] } = await ask(content === questions[0])
      for (const { id } of calls) {
        messages.push({ role: 'tool', tool_call_id: id, content: 'a fare box' })
      }
    }
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
    await expectPaid(payments, 4)
  },
)

test.each([false, true])(
  'Responses: output items are sent back as they came; streamed: %s',
  async (streamed) => {
    const { fetch: paidFetch, payments } = payingFetch(streamed ? 3 : 2)
    const client = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: 'none',
      fetch: paidFetch,
      maxRetries: 0,
    })
    const look: OpenAI.Responses.FunctionTool = {
      type: 'function',
      name: 'look',
      parameters: { type: 'object' },
      strict: false,
    }
    const input: OpenAI.Responses.ResponseInputItem[] = []
    let outputs = 0
    for (const content of [questions[0], questions[1], questions[0], questions[1]]) {
      input.push({ role: 'user', content: content ?? '' })
      const body = {
        model,
        input,
        max_output_tokens: 200,
        ...(content === questions[0] && { tools: [look] }),
      }
      const response = streamed
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body)
      for (const item of response.output) {
        input.push(item as OpenAI.Responses.ResponseInputItem)
        if (item.type !== 'function_call') continue
        outputs += 1
        input.push({ type: 'function_call_output', call_id: item.call_id, output: 'a fare box' })
      }
    }
    expect(outputs).toBe(2)
    await expectPaid(payments, 4)
  },
)

test.each([false, true])(
  'Messages: content is sent back as it came; streamed: %s',
  async (streamed) => {
    const { fetch: paidFetch, payments } = payingFetch(streamed ? 5 : 4)
    const client = new Anthropic({
      baseURL: gateway.url,
      apiKey: 'none',
      fetch: paidFetch,
      maxRetries: 0,
    })
    const look: Anthropic.Tool = { name: 'look', input_schema: { type: 'object' } }
    const messages: Anthropic.MessageParam[] = []
    let results: Anthropic.ToolResultBlockParam[] = []
    let calls = 0
    for (const text of [questions[0], questions[1], questions[0], questions[1]]) {
      messages.push({ role: 'user', content: [...results, { type: 'text', text: text ?? '' }] })
      const body = {
        model,
        messages,
        max_tokens: 200,
        ...(text === questions[0] && { tools: [look] }),
      }
      const message = streamed
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body)
      messages.push({ role: 'assistant', content: message.content })
      results = message.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'a fare box' }]
          : [],
      )
      calls += results.length
    }
    expect(calls).toBe(2)
    await expectPaid(payments, 4)
  },
)
