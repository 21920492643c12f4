import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  wireProvider,
} from '../call/wire-provider.ts'
import type { RequestLimits } from '../provider/unsupported-field.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { classifyFailure, type FailureKind } from '../wire/classify-failure.ts'
import { createGeminiReader } from './gemini-reader.ts'
import { requestBody } from './request-body.ts'

export type GeminiOptions = ConnectionOptions & {
  readonly apiKey: string
  readonly name?: string
  /** Version path included. */
  readonly baseUrl?: string
}

/** Fields that Gemini's API does not know, or not in a stream. */
export const geminiLimits: RequestLimits = {
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'parallel_tool_calls',
    'reasoning_effort',
  ],
  messageNames: 'unsupported',
  remoteImages: 'unsupported',
}

/** Google's native Gemini API. It bills the full response after the client disconnects. */
export function createGeminiProvider(options: GeminiOptions): ConnectedChatProvider {
  const name = options.name ?? 'gemini'
  const headers = { 'x-goog-api-key': options.apiKey }
  const wire: ChatWire = {
    name,
    onClientGone: 'drain',
    request: (call) => ({
      path: `/models/${encodeURIComponent(call.upstreamModel)}:streamGenerateContent?alt=sse`,
      headers,
      body: requestBody(call),
    }),
    reader: (frame) => createGeminiReader(frame, name),
    classify,
  }
  const baseUrl = options.baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta'
  return wireProvider(wire, baseUrl, options)
}

/** A wrong key may be reported with 400. */
function classify(status: number, body: unknown): FailureKind {
  const said = body === undefined ? '' : JSON.stringify(body)
  if (status !== 400 || !/API.?key/i.test(said)) return classifyFailure(status, body)
  return { code: 'upstream_unavailable', executed: 'perhaps' }
}
