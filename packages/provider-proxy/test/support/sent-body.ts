import { chatRequestSchema } from '@farebox/api'
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
/** A message as a client sends it. */
export type HistoryMessage = Readonly<Record<string, unknown>> & { readonly role: string }
export type AssistantTurn = Reasoning & {
  readonly content?: string
  readonly refusal?: string
  readonly tool_calls?: readonly object[]
}

export function userTurn(content: string): HistoryMessage {
  return { role: 'user', content }
}

export function assistantTurn(turn: AssistantTurn): HistoryMessage {
  return { role: 'assistant', ...turn }
}

export function toolResult(id: string, content: string): HistoryMessage {
  return { role: 'tool', tool_call_id: id, content }
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

/** The body that reaches a provider for a history. */
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
  const request = chatRequestSchema.parse({ messages, tools })
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
