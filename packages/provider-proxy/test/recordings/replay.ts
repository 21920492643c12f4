import { Dispatcher } from 'undici'
import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  cerebrasProfile,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  customProfile,
  deepSeekProfile,
  groqProfile,
  mistralProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
  type ProviderProfile,
  togetherProfile,
  xAiProfile,
} from '../../src/index.ts'
import { jsonEvents } from './json-events.ts'
import type { Recording } from './recording.ts'

const profiles: Readonly<Record<string, ProviderProfile>> = {
  openrouter: openRouterProfile,
  openai: openAiProfile,
  xai: xAiProfile,
  deepseek: deepSeekProfile,
  mistral: mistralProfile,
  groq: groqProfile,
  together: togetherProfile,
  cerebras: cerebrasProfile,
  moonshot: moonshotProfile,
}

/** A provider of a recording's kind, whose responses are what `replay` is given next. */
export type Replay = {
  readonly provider: ConnectedChatProvider
  /** Sets the bytes of the next response, in the pieces in which they arrive. */
  respond(pieces: readonly Buffer[]): void
}

export function createReplay(recording: Recording): Replay {
  let pieces: readonly Buffer[] = []
  const headers = { 'content-type': contentType(recording) }
  const dispatcher = Object.assign(new Dispatcher(), {
    dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      queueMicrotask(() => {
        handler.onRequestStart?.(idleController, {})
        handler.onResponseStart?.(idleController, recording.status, headers, '')
        for (const piece of pieces) handler.onResponseData?.(idleController, piece)
        handler.onResponseEnd?.(idleController, {})
      })
      return true
    },
  })
  const options: ConnectionOptions = { dispatcher, retry: { attempts: 1 } }
  return {
    provider: createProvider(recording, options),
    respond(given) {
      pieces = given
    },
  }
}

/** Nothing is paused or aborted: each piece is there already. */
const idleController: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
}

function createProvider({ wire, vendor }: Recording, options: ConnectionOptions) {
  switch (wire) {
    case 'openai':
      return createOpenAiCompatibleProvider({
        ...options,
        profile: profiles[vendor] ?? customProfile,
        baseUrl: 'http://recorded.test/v1',
      })
    case 'anthropic':
      return createAnthropicProvider({ ...options, apiKey: 'key' })
    case 'gemini':
      return createGeminiProvider({ ...options, apiKey: 'key' })
  }
}

function contentType({ wire, kind, status }: Recording): string {
  const isJson = status !== 200 || (wire === 'openai' && kind === 'json')
  return isJson ? 'application/json' : 'text/event-stream'
}

/** The bytes of a recording as the wire sends them; only OpenAI's has JSON bodies. */
export function bytesOf(recording: Recording): Buffer {
  const { wire, kind, body, status } = recording
  if (status !== 200 || kind === 'sse' || wire === 'openai') return Buffer.from(body)
  const events = jsonEvents(recording)
  const framed = wire === 'gemini' ? events : events.flatMap(messageEvents)
  return Buffer.from(framed.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}

/** The events that build a message of Anthropic's. */
function messageEvents(message: Readonly<Record<string, unknown>>): readonly object[] {
  const { content, stop_reason, stop_sequence, usage, ...rest } = message
  const blocks: readonly Readonly<Record<string, unknown>>[] = Array.isArray(content) ? content : []
  return [
    { type: 'message_start', message: { ...rest, content: [], usage } },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: opened(block) },
      ...deltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
}

function opened(block: Readonly<Record<string, unknown>>): object {
  const { text, thinking, input, ...rest } = block
  return {
    ...rest,
    ...(text !== undefined && { text: '' }),
    ...(thinking !== undefined && { thinking: '' }),
    ...(input !== undefined && { input: {} }),
  }
}

function deltas(block: Readonly<Record<string, unknown>>): readonly object[] {
  const { text, thinking, input } = block
  if (text !== undefined) return [{ type: 'text_delta', text }]
  if (thinking !== undefined) return [{ type: 'thinking_delta', thinking }]
  if (input === undefined) return []
  return [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]
}
