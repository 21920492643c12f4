import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  wireProvider,
} from '../call/wire-provider.ts'
import { openSampling } from '../provider/open-sampling.ts'
import { type RequestLimits, usualImages } from '../provider/unsupported-field.ts'
import { checkedKey } from '../transport/checked-key.ts'
import type { ChatWire } from '../wire/chat-wire.ts'
import { createAnthropicReader } from './anthropic-reader.ts'
import { requestBody } from './request-body.ts'
import { mayThink, thoughtBinding } from './thinking.ts'

/** The key and the address of Anthropic's API. */
export type AnthropicOptions = ConnectionOptions & {
  readonly apiKey: string
  readonly name?: string
  /** Version path included. */
  readonly baseUrl?: string
}

/** Fields that the Messages API does not have. */
export const anthropicLimits: RequestLimits = {
  unsupported: [
    'n',
    'seed',
    'frequency_penalty',
    'presence_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    // Newer models reject it together with a temperature, which has a default here.
    'top_p',
    ...openSampling,
  ],
  messageNames: 'unsupported',
  remoteImages: 'supported',
  imageTypes: usualImages,
  imageDetail: 'unsupported',
  toolImages: 'supported',
  strictTools: 'supported',
  responseFormats: ['json_schema'],
  // https://platform.claude.com/docs/en/build-with-claude/effort
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  modelEfforts: [
    { models: /^claude-opus-4-5/, efforts: ['none', 'low', 'medium', 'high'] },
    { models: /^claude-(opus|sonnet)-4-6/, efforts: ['none', 'low', 'medium', 'high', 'max'] },
  ],
  reasoningBudgets: 'supported',
  effortsWithoutReasoning: 'supported',
  callArguments: 'objects',
  messages: { reasoning: 'details' },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
  maxStops: 8191,
  blankStops: 'unsupported',
}

/** Anthropic's native Messages API: its OpenAI layer is not meant for production. */
export function createAnthropicProvider(options: AnthropicOptions): ConnectedChatProvider {
  const name = options.name ?? 'anthropic'
  const headers = { 'x-api-key': checkedKey(options.apiKey), 'anthropic-version': '2023-06-01' }
  const wire: ChatWire = {
    name,
    onClientGone: 'abort',
    reasoning: (call) => (mayThink(call) ? 'hidden' : 'shown'),
    request: (call) => {
      const binding = thoughtBinding(call)
      return {
        path: '/messages',
        headers: { ...headers, ...binding.headers },
        body: requestBody(call, binding),
      }
    },
    reader: createAnthropicReader,
  }
  return wireProvider(wire, options.baseUrl ?? 'https://api.anthropic.com/v1', options)
}
