import type { HTTPClient, OpenRouter } from '@openrouter/sdk'
import { type Conversation, model, placeIn, questions, result, weather } from './conversation.ts'

export type OpenRouterSdk = {
  readonly HTTPClient: typeof HTTPClient
  readonly OpenRouter: typeof OpenRouter
}

type Request = Parameters<OpenRouter['chat']['send']>[0]['chatRequest']
type Message = Extract<Request['messages'][number], { role: 'assistant' }>

/** OpenRouter's own SDK, which validates what it receives. */
export function openRouterChat(sdk: OpenRouterSdk): Conversation {
  return async ({ url, fetch, streamed }) => {
    const httpClient = new sdk.HTTPClient({ fetcher: fetch })
    const client = new sdk.OpenRouter({ serverURL: `${url}/v1`, apiKey: 'none', httpClient })
    const messages: Request['messages'] = []
    const places: unknown[] = []
    const answers: string[] = []
    const tools = [{ type: 'function' as const, function: { ...weather } }]
    for (const content of questions) {
      messages.push({ role: 'user', content })
      for (let pending = true; pending; ) {
        const chatRequest = { model, messages, tools, maxTokens: 200 }
        const message = streamed
          ? await joined(client, chatRequest)
          : await whole(client, chatRequest)
        messages.push(message)
        const calls = message.toolCalls ?? []
        for (const { id, function: called } of calls) {
          places.push(placeIn(called.arguments))
          messages.push({ role: 'tool', toolCallId: id, content: result })
        }
        if (calls.length === 0)
          answers.push(typeof message.content === 'string' ? message.content : '')
        pending = calls.length > 0
      }
    }
    return { places, answers }
  }
}

async function whole(client: OpenRouter, chatRequest: Request): Promise<Message> {
  const answer = await client.chat.send({ chatRequest: { ...chatRequest, stream: false } })
  const message = 'choices' in answer ? answer.choices[0]?.message : undefined
  if (message === undefined) throw new Error('no message')
  return message
}

/** The SDK has no helper that puts the pieces of a stream together. */
async function joined(client: OpenRouter, chatRequest: Request): Promise<Message> {
  const answer = await client.chat.send({ chatRequest: { ...chatRequest, stream: true } })
  if ('choices' in answer) throw new Error('no stream')
  let content = ''
  const details: NonNullable<Message['reasoningDetails']> = []
  const calls: NonNullable<Message['toolCalls']> = []
  for await (const { choices } of answer) {
    const delta = choices[0]?.delta
    content += delta?.content ?? ''
    details.push(...(delta?.reasoningDetails ?? []))
    for (const { index, id, function: called } of delta?.toolCalls ?? []) {
      const call = calls[index]
      if (call !== undefined) call.function.arguments += called?.arguments ?? ''
      else {
        const { name = '', arguments: args = '' } = called ?? {}
        calls[index] = { id: id ?? '', type: 'function', function: { name, arguments: args } }
      }
    }
  }
  const toolCalls = calls.length > 0 ? { toolCalls: calls } : {}
  return { role: 'assistant', content, reasoningDetails: details, ...toolCalls }
}
