import { type ChatMessage, chatRequestSchema } from '@farebox/api'
import {
  type ConnectedChatProvider,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  type ProviderProfile,
} from '../../src/index.ts'
import { chatCall } from './call.ts'
import { event, openEvents, type Received, startProviderServer } from './provider-server.ts'

export type Body = Received['body']

/** What a client adds to an assistant's message of the history. */
type Reasoning = {
  readonly reasoning?: string
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly object[]
}
type Assistant = Extract<ChatMessage, { role: 'assistant' }>

export type HistoryMessage = ChatMessage & Reasoning
export type AssistantTurn = Partial<Omit<Assistant, 'role'>> & Reasoning

export function userTurn(content: string): HistoryMessage {
  return { role: 'user', content, name: undefined }
}

export function assistantTurn(turn: AssistantTurn): HistoryMessage {
  const empty = { content: undefined, name: undefined, refusal: undefined, tool_calls: undefined }
  return { role: 'assistant', ...empty, ...turn }
}

export function toolResult(id: string, content: string): HistoryMessage {
  return { role: 'tool', tool_call_id: id, content }
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

/** The body that reaches a provider for a history, which is given as validated. */
export async function sentBody(
  provider: 'anthropic' | 'gemini' | ProviderProfile,
  upstreamModel: string,
  messages: readonly HistoryMessage[],
): Promise<Body> {
  const server = await startProviderServer((response) => {
    openEvents(response)
    response.end(event({ error: { message: 'enough' } }))
  })
  const connected = connectedTo(provider, server.url)
  const call = chatCall('hi', { upstreamModel })
  const request = {
    ...chatRequestSchema.parse({ messages: [{ role: 'user', content: 'hi' }], tools }),
    messages: [...messages],
  }
  await connected.open({ ...call, request }).then(
    () => undefined,
    () => undefined,
  )
  await connected.close()
  await server.stop()
  const [received] = server.received
  if (received === undefined) throw new Error('nothing was sent')
  return received.body
}

function connectedTo(
  provider: 'anthropic' | 'gemini' | ProviderProfile,
  baseUrl: string,
): ConnectedChatProvider {
  if (provider === 'anthropic') return createAnthropicProvider({ apiKey: 'key', baseUrl })
  if (provider === 'gemini') return createGeminiProvider({ apiKey: 'key', baseUrl })
  return createOpenAiCompatibleProvider({ profile: provider, apiKey: 'key', baseUrl })
}
