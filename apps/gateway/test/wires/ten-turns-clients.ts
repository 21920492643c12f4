import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect } from 'vitest'
import { picture, textAt, turns } from './ten-turns-vendor.ts'

/** Holds a conversation of ten answers, each of which is sent back as the client gave it. */
export type Conversation = (setting: {
  readonly url: string
  readonly fetch: typeof fetch
  readonly model: string
}) => Promise<void>

const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } }

/** Chat completions: half of the answers are streamed. */
export const chat: Conversation = async ({ url, fetch, model }) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) {
      messages.push({
        role: 'user',
        content:
          turn === 4
            ? [
                { type: 'text', text: 'Look.' },
                { type: 'image_url', image_url: { url: picture } },
              ]
            : 'Look.',
      })
    }
    const tools = [{ type: 'function' as const, function: tool }]
    const body = { model, messages, tools, max_completion_tokens: 400 }
    const message =
      turn % 4 > 1
        ? await client.chat.completions.stream(body).finalMessage()
        : (await client.chat.completions.create(body)).choices[0]?.message
    if (message === undefined) throw new Error('no message')
    messages.push(message)
    for (const { id } of message.tool_calls ?? []) {
      messages.push({ role: 'tool', tool_call_id: id, content: 'seen' })
    }
    expect(message.content ?? '').toBe(textAt(turn))
  }
}

/** Responses: half of the answers are streamed. */
export const responses: Conversation = async ({ url, fetch, model }) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', fetch, maxRetries: 0 })
  const input: OpenAI.Responses.ResponseInputItem[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) {
      input.push({
        role: 'user',
        content:
          turn === 4
            ? [
                { type: 'input_text', text: 'Look.' },
                { type: 'input_image', image_url: picture, detail: 'auto' },
              ]
            : 'Look.',
      })
    }
    const tools = [{ type: 'function' as const, ...tool, strict: false }]
    const body = { model, input, tools, max_output_tokens: 400 }
    const response =
      turn % 4 > 1
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body)
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
    for (const item of response.output) {
      if (item.type !== 'function_call') continue
      input.push({ type: 'function_call_output', call_id: item.call_id, output: 'seen' })
    }
    expect(response.output_text).toBe(textAt(turn))
  }
}

/** Messages: half of the answers are streamed. */
export const messages: Conversation = async ({ url, fetch, model }) => {
  const client = new Anthropic({ baseURL: url, apiKey: 'none', fetch, maxRetries: 0 })
  const history: Anthropic.MessageParam[] = []
  const [, data = ''] = picture.split(',')
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data }
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) {
      history.push({
        role: 'user',
        content:
          turn === 4
            ? [
                { type: 'text', text: 'Look.' },
                { type: 'image', source },
              ]
            : 'Look.',
      })
    }
    const { parameters, ...named } = tool
    const tools = [{ ...named, input_schema: { type: 'object' as const } }]
    const body = { model, messages: history, tools, max_tokens: 400 }
    const { content } =
      turn % 4 > 1
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body)
    history.push({ role: 'assistant', content })
    const results = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'seen' }]
        : [],
    )
    if (results.length > 0) history.push({ role: 'user', content: results })
    const said = content.map((block) => ('text' in block ? block.text : '')).join('')
    expect(said).toBe(textAt(turn))
  }
}
