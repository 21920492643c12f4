import type {
  ChatChunk,
  ChatCompletion,
  ChatEstimate,
  ChatModelList,
  ImageEstimate,
  ImageModelList,
  ImageResultBody,
  NetworkHealth,
  PaymentBody,
} from '@farebox/api'
import {
  digits,
  flag,
  list,
  nullable,
  number,
  oneOf,
  optional,
  record,
  recordOf,
  type Shape,
  text,
  whole,
} from './shape.ts'

/** A shape that is known to be that of a body of the API. */
export type BodyShape<Body> = Shape & { readonly body?: Body }

const maybeText = optional(nullable(text))
const finishReason = nullable(oneOf('stop', 'length', 'content_filter', 'tool_calls'))

const reasoningDetails = optional(
  list(
    record({
      type: text,
      format: maybeText,
      index: optional(number),
      text: optional(text),
      summary: optional(text),
    }),
  ),
)

const usage = record({
  prompt_tokens: whole,
  completion_tokens: whole,
  total_tokens: whole,
  prompt_tokens_details: optional(record({ cached_tokens: whole })),
  completion_tokens_details: optional(
    record({
      reasoning_tokens: optional(whole),
      image_tokens: optional(whole),
      audio_tokens: optional(whole),
    }),
  ),
  queue_time: optional(number),
  prompt_time: optional(number),
  completion_time: optional(number),
  total_time: optional(number),
})

export const chatCompletionShape: BodyShape<ChatCompletion> = record({
  id: text,
  object: oneOf('chat.completion'),
  created: whole,
  model: text,
  system_fingerprint: optional(text),
  choices: list(
    record({
      index: whole,
      message: record({
        role: oneOf('assistant'),
        content: nullable(text),
        reasoning: maybeText,
        reasoning_details: reasoningDetails,
        refusal: maybeText,
        tool_calls: optional(
          list(
            record({
              id: text,
              type: oneOf('function'),
              function: record({ name: text, arguments: text }),
            }),
          ),
        ),
      }),
      finish_reason: finishReason,
    }),
  ),
  usage: optional(usage),
})

export const chatChunkShape: BodyShape<ChatChunk> = record({
  id: text,
  object: oneOf('chat.completion.chunk'),
  created: whole,
  model: text,
  system_fingerprint: optional(text),
  choices: list(
    record({
      index: whole,
      delta: record({
        role: optional(oneOf('assistant')),
        content: maybeText,
        reasoning: maybeText,
        reasoning_details: reasoningDetails,
        refusal: maybeText,
        tool_calls: optional(
          list(
            record({
              index: number,
              id: optional(text),
              type: optional(oneOf('function')),
              function: optional(record({ name: optional(text), arguments: optional(text) })),
            }),
          ),
        ),
      }),
      finish_reason: finishReason,
    }),
  ),
  usage: optional(usage),
})

const explanation = optional(list(record({ label: text })))
const estimatedCost = record({ usd: text, note: text })

export const chatEstimateShape: BodyShape<ChatEstimate> = record({
  model: text,
  estimatedInputTokens: whole,
  estimatedOutputTokens: whole,
  estimatedCost,
  message: text,
  explanation,
})

export const imageEstimateShape: BodyShape<ImageEstimate> = record({
  model: text,
  dimensions: text,
  number_of_images: whole,
  estimatedCost,
  explanation,
})

export const chatModelListShape: BodyShape<ChatModelList> = record({
  object: oneOf('list'),
  data: list(record({ id: text, object: oneOf('model'), created: whole, owned_by: text })),
  total: whole,
  models: list(
    record({
      id: text,
      name: text,
      description: text,
      context_length: whole,
      pricing: record({
        input_per_1k_tokens: number,
        output_per_1k_tokens: number,
        blended_per_1k_tokens: number,
      }),
    }),
  ),
})

export const imageModelListShape: BodyShape<ImageModelList> = record({
  total: whole,
  models: list(
    record({
      id: text,
      name: text,
      description: text,
      architecture: text,
      category: oneOf('fast', 'realistic', 'anime', 'artistic', 'professional'),
      supportsSteps: flag,
      defaultSteps: optional(whole),
      pricing: recordOf(text),
    }),
  ),
  note: optional(text),
})

export const imageResultShape: BodyShape<ImageResultBody> = record({
  model: text,
  dimensions: text,
  images: list(record({ url: text, b64_json: optional(text), seed: optional(number) })),
  number_of_images: whole,
  cost: record({ usd: text, usdc: digits }),
})

const amount = { usdc: digits, usd: text }

export const paymentShape: BodyShape<PaymentBody> = record({
  id: text,
  status: oneOf(
    'settling',
    'unknown',
    'settled',
    'serving',
    'completed',
    'failed',
    'rejected',
    'void',
  ),
  kind: optional(oneOf('channel_call', 'channel_deposit')),
  channelId: optional(text),
  resource: text,
  model: text,
  network: text,
  asset: text,
  payer: text,
  paid: record(amount),
  cost: nullable(record(amount)),
  refund: nullable(
    record({
      ...amount,
      status: oneOf('due', 'accruing', 'submitted', 'confirmed', 'blocked', 'released'),
      transaction: nullable(text),
    }),
  ),
  settlement: nullable(record({ transaction: text, block: whole })),
  usage: nullable(record({})),
  createdAt: text,
  updatedAt: text,
})

export const networkHealthShape: BodyShape<NetworkHealth> = record({
  status: oneOf('ok', 'degraded', 'down'),
  timestamp: text,
  issues: optional(list(text)),
  network: text,
  mainnet: flag,
  cdp: text,
})
