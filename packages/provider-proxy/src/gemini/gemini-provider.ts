import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  wireProvider,
} from '../call/wire-provider.ts'
import { openSampling } from '../provider/open-sampling.ts'
import type { RequestLimits } from '../provider/unsupported-field.ts'
import { checkedKey } from '../transport/checked-key.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { createGeminiReader } from './gemini-reader.ts'
import { requestBody } from './request-body.ts'

/** The key and the address of Google's API. */
export type GeminiOptions = ConnectionOptions & {
  /** Omitted where `headers` gives a token, as for a service account of Vertex AI. */
  readonly apiKey?: string
  readonly name?: string
  /** `omitted` for Vertex AI, which rejects the ids of calls. */
  readonly callIds?: 'sent' | 'omitted'
  /** Version path included. */
  readonly baseUrl?: string
}

const withMinimal = ['minimal', 'low', 'medium', 'high'] as const

/** Fields that Gemini's API does not have, or not in a stream. */
export const geminiLimits: RequestLimits = {
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'parallel_tool_calls',
    ...openSampling,
  ],
  messageNames: 'unsupported',
  // Google fetches any public file by URL, and bills it by what the file is: a document of a
  // thousand pages would cost far more than the quoted image.
  // https://blog.google/innovation-and-ai/technology/developers-tools/gemini-api-new-file-limits
  remoteImages: 'unsupported',
  // https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats
  imageTypes: /^data:image\/(png|jpe?g|webp|hei[cf])[;,]/i,
  imageDetail: 'unsupported',
  toolImages: 'supported',
  strictTools: 'supported',
  responseFormats: ['json_object', 'json_schema'],
  // https://github.com/googleapis/python-genai/issues/867; later models write JSON in addition to their calls.
  formatsWithoutTools: /^gemini-[12]\b/,
  // https://ai.google.dev/gemini-api/docs/openai: only Flash of 2.5 takes `none`. Which later
  // models have a minimal level: @earendil-works/pi-ai 1.5.2, `google.json`.
  efforts: ['none', 'minimal', 'low', 'medium', 'high'],
  modelEfforts: [
    { models: /^gemini-2\.5-flash/, efforts: ['none', 'minimal', 'low', 'medium', 'high'] },
    { models: /^gemini-(2\.5|3-flash|3\.1-flash|3\.[56]-flash)/, efforts: withMinimal },
    { models: /./, efforts: ['low', 'medium', 'high'] },
  ],
  callArguments: 'objects',
  messages: { reasoning: 'details' },
  // https://ai.google.dev/api/generate-content
  maxStops: 5,
  blankStops: 'supported',
}

/** Google's native Gemini API. It bills the full response after the client disconnects. */
export function createGeminiProvider(options: GeminiOptions): ConnectedChatProvider {
  const name = options.name ?? 'gemini'
  const { apiKey } = options
  const headers = apiKey === undefined ? {} : { 'x-goog-api-key': checkedKey(apiKey) }
  const wire: ChatWire = {
    name,
    onClientGone: 'drain',
    reasoning: 'hidden',
    request: (call) => ({
      path: `/models/${encodeURIComponent(call.upstreamModel)}:streamGenerateContent?alt=sse`,
      headers,
      body: requestBody(call, options.callIds),
    }),
    reader: createGeminiReader,
  }
  const baseUrl = options.baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta'
  return wireProvider(wire, baseUrl, options)
}
