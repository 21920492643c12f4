import { z } from 'zod'

const reasoningDetail = z.looseObject({
  type: z.string(),
  format: z.string().nullish(),
  index: z.number().optional(),
  text: z.string().optional(),
  summary: z.string().optional(),
})

/** A source of the text, in OpenAI's format; both indexes are 0 if the provider gives none. */
const annotation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({
    url: z.string(),
    title: z.string(),
    start_index: z.int().min(0),
    end_index: z.int().min(0),
  }),
})

/** An image that a chat model made, in OpenRouter's format. */
const picture = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string() }),
})

const extras = {
  annotations: z.array(annotation).optional(),
  images: z.array(picture).optional(),
}

const toolCallDelta = z.looseObject({
  index: z.number(),
  id: z.string().optional(),
  type: z.literal('function').optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
})

const finishReason = z.enum(['stop', 'length', 'content_filter', 'tool_calls'])

const stopSequence = z
  .string()
  .optional()
  .describe('The text of `stop` that ended it, where the provider tells')

/** Usage as sent to clients; timings are in milliseconds. */
export const chatUsageSchema = z.object({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
  prompt_tokens_details: z
    .object({
      cached_tokens: z.int().min(0),
      cache_write_tokens: z.int().min(0).optional(),
    })
    .optional(),
  completion_tokens_details: z
    .object({
      reasoning_tokens: z.int().min(0).optional(),
      image_tokens: z.int().min(0).optional(),
      audio_tokens: z.int().min(0).optional(),
    })
    .optional(),
  queue_time: z.number().optional(),
  prompt_time: z.number().optional(),
  completion_time: z.number().optional(),
  total_time: z.number().optional(),
  source: z
    .literal('counted')
    .optional()
    .describe('Only where the provider stated no usage: the figures are counted here'),
})

/** The response to a chat request with `stream: false`. */
export const chatCompletionSchema = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  provider: z.string().optional().describe('Who served it: a name for `provider.order`'),
  system_fingerprint: z.string().optional(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        reasoning: z.string().nullish(),
        reasoning_details: z.array(reasoningDetail).optional(),
        refusal: z.string().nullish(),
        ...extras,
        tool_calls: z
          .array(
            z.object({
              id: z.string(),
              type: z.literal('function'),
              function: z.object({ name: z.string(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
      logprobs: z.unknown().optional(),
      finish_reason: finishReason.nullable(),
      stop_sequence: stopSequence,
    }),
  ),
  usage: chatUsageSchema.optional(),
})

/** One event of a response with `stream: true`. */
export const chatChunkSchema = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  provider: z.string().optional().describe('Who served it: a name for `provider.order`'),
  system_fingerprint: z.string().optional(),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({
        role: z.literal('assistant').optional(),
        content: z.string().nullish(),
        reasoning: z.string().nullish(),
        reasoning_details: z.array(reasoningDetail).optional(),
        refusal: z.string().nullish(),
        ...extras,
        tool_calls: z.array(toolCallDelta).optional(),
      }),
      logprobs: z.unknown().optional(),
      finish_reason: finishReason.nullable(),
      stop_sequence: stopSequence,
    }),
  ),
  usage: chatUsageSchema.optional(),
})

/** What a chat call used, in tokens. */
export type ChatUsage = z.output<typeof chatUsageSchema>
/** The whole response of a chat request. */
export type ChatCompletion = z.output<typeof chatCompletionSchema>
/** One event of a streamed response. */
export type ChatChunk = z.output<typeof chatChunkSchema>
/** Why a choice ended; null until it has. */
export type FinishReason = z.output<typeof finishReason>
