import type { ClientGonePolicy } from '../provider/client-gone-policy.ts'
import { type RequestLimits, usualImages } from '../provider/unsupported-field.ts'

/** How one OpenAI-compatible provider differs from the others, as data. */
export type ProviderProfile = RequestLimits & {
  readonly name: string
  readonly baseUrl?: string
  /** The name of the header that carries the key, and what stands before the key. */
  readonly auth: { readonly header: string; readonly prefix: string }
  readonly capField: 'max_tokens' | 'max_completion_tokens'
  /** Whether the usage of a stream must be requested. */
  readonly usageFlag: boolean
  readonly seedField: 'seed' | 'random_seed'
  /** The fields of a delta that may hold reasoning text; the first that is not empty is used. */
  readonly reasoningFields: readonly string[]
  /** The format under which the provider's reasoning text is also given as a reasoning detail. */
  readonly reasoningFormat?: string
  /** `system`: developer messages are sent as system messages. */
  readonly developerRole: 'kept' | 'system'
  /** Whether `cache_control` is sent on parts and tools. */
  readonly cacheMarks: 'sent' | 'not sent'
  /** `as text`: a JSON schema is sent as JSON mode and an instruction. */
  readonly schemas: 'native' | 'as text'
  /** `whole`: a response with a format does not stream. */
  readonly formatted: 'streamed' | 'whole'
  /** `sent`: `thinking.type` switches reasoning on and off, besides the effort. */
  readonly thinkingType: 'sent' | 'not sent'
  /** The fields that switch reasoning off where a forced tool requires it. */
  readonly thinkingOff: Readonly<Record<string, unknown>>
  readonly messages: MessageShape
  readonly usage: UsageProfile
  readonly timings: 'own' | 'groq' | 'cerebras'
  readonly onClientGone: ClientGonePolicy
  /** `hidden`: it may bill reasoning that its responses do not contain. */
  readonly reasoning: 'shown' | 'hidden'
  /** Whether the paid rates are sent as the most that a call may cost. */
  readonly maxPrice: 'sent' | 'not sent'
}

/** What a provider accepts as a message. */
export type MessageShape = RequestLimits['messages'] & {
  /** `joined`: text parts are sent as one text. */
  readonly textParts: 'kept' | 'joined'
  /** The content of an assistant message that only calls tools. */
  readonly emptyContent: 'omitted' | 'null'
  /** `nine characters`: other ids of tool calls are replaced by nine letters and digits. */
  readonly callIds: 'kept' | 'nine characters'
}

/** How a provider counts. */
export type UsageProfile = {
  /** `outside`: completion_tokens exclude reasoning. */
  readonly reasoning: 'inside' | 'outside'
  /** `outside when larger`: prompt_tokens exclude cached tokens if these are more. */
  readonly cached: 'inside' | 'outside when larger'
  /**
   * `reported`: usage.cost is what the call cost in dollars; `itemized`: usage.cost.total_cost is,
   * any fee per request included.
   */
  readonly cost: 'reported' | 'itemized' | 'not reported'
}

/** What most providers share: a profile states only what differs. */
export const commonProfile: Omit<ProviderProfile, 'name'> = {
  auth: { header: 'authorization', prefix: 'Bearer ' },
  capField: 'max_tokens',
  usageFlag: true,
  seedField: 'seed',
  reasoningFields: ['reasoning_content', 'reasoning', 'reasoning_text'],
  developerRole: 'system',
  cacheMarks: 'not sent',
  schemas: 'native',
  formatted: 'streamed',
  thinkingType: 'not sent',
  thinkingOff: { thinking: { type: 'disabled' } },
  usage: { reasoning: 'inside', cached: 'inside', cost: 'not reported' },
  timings: 'own',
  onClientGone: 'abort',
  reasoning: 'shown',
  unsupported: [],
  messageNames: 'supported',
  remoteImages: 'supported',
  imageTypes: usualImages,
  imageDetail: 'supported',
  toolImages: 'unsupported',
  strictTools: 'supported',
  responseFormats: ['json_object', 'json_schema'],
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  maxStops: 4,
  blankStops: 'supported',
  messages: {
    textParts: 'kept',
    emptyContent: 'omitted',
    callIds: 'kept',
    turns: 'any',
    reasoning: 'dropped',
  },
  maxPrice: 'not sent',
}

/**
 * The same for providers whose reference does not mention speaker names, image URLs, `detail` or
 * strict tools: requests with these are rejected before payment.
 */
export const strictProfile: Omit<ProviderProfile, 'name'> = {
  ...commonProfile,
  messageNames: 'unsupported',
  remoteImages: 'unsupported',
  imageDetail: 'unsupported',
  strictTools: 'unsupported',
}
