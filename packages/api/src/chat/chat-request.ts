import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'
import { wholeNumberBetween } from '../fields/whole-number-between.ts'
import { isLongerThan } from '../is-longer-than.ts'
import { functionName } from '../tools/function-name.ts'
import { findUndefinedTool, toolChoice, withAllowedTools } from '../tools/tool-choice.ts'
import { cacheControl } from './cache-control.ts'
import {
  type ChatLimits,
  maxDefinitionCharacters,
  specifiedLimits,
  widerInterface,
  widestLimits,
} from './chat-limits.ts'
import { createChatMessageSchema } from './chat-message.ts'
import { findUnaskedToolMessage } from './find-unasked-tool-message.ts'
import { isEmptyMessage } from './is-empty-message.ts'
import { neutralFields } from './neutral-fields.ts'
import { providerPreferences } from './provider-preferences.ts'

/** The default output cap, in tokens. It is sent upstream. */
export const defaultMaxTokens = 4096

/** The default temperature. It is sent upstream if the model takes one. */
export const defaultTemperature = 0.7

const modelName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9\-_/.:]+$/, 'may only contain letters, digits and - _ / . :')

const maxTokens = wholeNumberBetween(1, 128_000).meta({ default: defaultMaxTokens })

/** Most models take fewer. */
const maxTools = 1024

/** Most models take four. */
const maxStops = 64

const jsonSchema = z.record(z.string(), z.unknown())

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: functionName,
    description: optionalField(z.string().max(widestLimits.characters)),
    parameters: optionalField(jsonSchema),
    strict: optionalField(z.boolean()),
  }),
  cache_control: optionalField(cacheControl),
})

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: functionName,
      description: optionalField(z.string().max(10_000)),
      schema: optionalField(jsonSchema),
      strict: optionalField(z.boolean()),
    }),
  }),
])

/** An empty list counts as absent. */
function optionalList<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema> | undefined, z.input<Schema> | null | undefined> {
  return schema
    .nullish()
    .transform((value) =>
      Array.isArray(value) && value.length === 0 ? undefined : (value ?? undefined),
    )
}

const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

/** OpenRouter's form of `reasoning_effort`. */
const reasoning = z.strictObject({
  effort: optionalField(effort),
  max_tokens: optionalField(wholeNumberBetween(0, 128_000)),
  exclude: optionalField(z.boolean()),
  enabled: optionalField(z.boolean()),
})

/** Fields that can change neither the price nor the answer. */
const withoutEffect = {
  user: optionalField(z.string().max(512)),
  metadata: optionalField(z.record(z.string(), z.string())),
  store: optionalField(
    z.literal(false, 'must be false: completions are not stored. Remove it, or set it to false'),
  ),
  prompt_cache_key: optionalField(z.string().max(512)),
  prompt_cache_retention: optionalField(z.string().max(64)),
  prompt_cache_options: optionalField(
    z.strictObject({
      mode: optionalField(z.enum(['implicit', 'explicit'])),
      ttl: optionalField(z.string().max(64)),
    }),
  ),
  safety_identifier: optionalField(z.string().max(512)),
  session_id: optionalField(z.string().max(512)),
  service_tier: optionalField(z.enum(['auto', 'default'])),
  modalities: optionalField(z.array(z.literal('text')).max(1)),
  transforms: optionalField(z.array(z.never()).max(0)),
  usage: optionalField(z.strictObject({ include: optionalField(z.boolean()) })),
}

const fields = {
  model: optionalField(modelName),
  models: optionalList(z.array(modelName).max(3, 'must have at most 3 models')).describe(
    'Models to use in this order if no provider can serve model; quoted at the most expensive',
  ),
  provider: optionalField(providerPreferences),
  max_tokens: optionalField(maxTokens),
  max_completion_tokens: optionalField(maxTokens),
  temperature: optionalField(
    z
      .number()
      .min(0, 'must be between 0 and 2')
      .max(2, 'must be between 0 and 2')
      .meta({ default: defaultTemperature }),
  ),
  stream: optionalField(z.boolean().meta({ default: false })),
  stream_options: optionalField(
    z.strictObject({
      include_usage: optionalField(z.boolean()),
      include_obfuscation: optionalField(z.boolean()),
    }),
  ),
  n: optionalField(wholeNumberBetween(1, 8).meta({ default: 1 })),
  top_p: optionalField(z.number().min(0).max(1)),
  stop: optionalList(
    z.union([z.string().min(1).max(1000), z.array(z.string().min(1).max(1000)).max(maxStops)]),
  ),
  seed: optionalField(z.int()),
  frequency_penalty: optionalField(z.number().min(-2).max(2)),
  presence_penalty: optionalField(z.number().min(-2).max(2)),
  logit_bias: optionalField(
    z.record(
      z.string().regex(/^\d{1,7}$/, 'is not a token id: use 1 to 7 digits'),
      z.number().min(-100).max(100),
    ),
  ),
  logprobs: optionalField(z.boolean()),
  top_logprobs: optionalField(wholeNumberBetween(0, 20)),
  response_format: optionalField(responseFormat),
  tools: optionalList(z.array(tool).max(maxTools)),
  tool_choice: optionalField(toolChoice),
  parallel_tool_calls: optionalField(z.boolean()),
  reasoning_effort: optionalField(effort),
  verbosity: optionalField(z.enum(['low', 'medium', 'high'])),
  top_k: optionalField(wholeNumberBetween(0, 1000)),
  min_p: optionalField(z.number().min(0).max(1)),
  repetition_penalty: optionalField(z.number().min(0).max(2)),
  reasoning: optionalField(reasoning),
  ...withoutEffect,
  ...neutralFields,
}

/** The body of a chat request within these limits. Unknown fields are errors. */
export function createChatRequestSchema({ messages: maxMessages, characters }: ChatLimits) {
  return z
    .strictObject({ messages: createMessages(maxMessages, characters), ...fields })
    .refine(capsAgree, {
      error: 'must equal max_tokens if both are given',
      path: ['max_completion_tokens'],
    })
    .refine(effortsAgree, {
      error: 'must equal reasoning_effort if both are given',
      path: ['reasoning', 'effort'],
    })
    .refine((request) => !request.top_logprobs || request.logprobs === true, {
      error: 'requires logprobs: true',
      path: ['top_logprobs'],
    })
    .superRefine((request, context) => {
      for (const field of ['tools', 'response_format'] as const) {
        if (!isLongerThan(request[field], maxDefinitionCharacters)) continue
        context.addIssue({ code: 'custom', path: [field], message: tooLong })
      }
    })
    .superRefine(({ messages }, context) => {
      const last = messages.length - 1
      if (last >= 0 && isEmptyMessage(messages[last])) {
        context.addIssue({
          code: 'custom',
          path: ['messages', last, 'content'],
          message: 'must not be empty in the last message',
        })
      }
    }, ofValidMessages)
    .superRefine((request, context) => {
      const index = findUnaskedToolMessage(request.messages)
      if (index === undefined) return
      context.addIssue({
        code: 'custom',
        path: ['messages', index, 'tool_call_id'],
        message:
          'does not match an earlier tool call. Put the message with that call first, or remove this one',
      })
    }, ofValidMessages)
    .superRefine((request, context) => {
      const index = findUndefinedTool(request)
      if (index === undefined) return
      context.addIssue({
        code: 'custom',
        path: ['tool_choice', 'allowed_tools', 'tools', index, 'function', 'name'],
        message: 'is not in tools. Use the name of one of tools',
      })
    }, ofValidMessages)
    .transform(withAllowedTools)
}

const tooLong = `must have at most ${maxDefinitionCharacters} characters: shorten its descriptions and schemas`

/** After the first invalid message the others are missing. */
const ofValidMessages = {
  when: ({ issues }: z.core.ParsePayload) => issues.length === 0,
}

function createMessages(maxMessages: number, characters: number) {
  const range = `must have 1 to ${maxMessages} messages`
  const wider = widerInterface(maxMessages, widestLimits.messages)
  return z
    .array(createChatMessageSchema(characters))
    .min(1, range)
    .max(maxMessages, `${range}: shorten the conversation${wider}`)
}

/** What `createChatRequestSchema` returns. */
export type ChatRequestSchema = ReturnType<typeof createChatRequestSchema>

/** The body of `POST /v1/chat/completions` and `POST /v1/estimate`. Unknown fields are errors. */
export const chatRequestSchema: ChatRequestSchema = createChatRequestSchema(specifiedLimits)

/** What a caller may send; `chatRequestSchema` turns it into a `ChatRequest`. */
export type ChatRequestInput = Omit<z.input<typeof chatRequestSchema>, keyof typeof neutralFields>

/** A validated chat request, before defaults. */
export type ChatRequest = Omit<z.output<typeof chatRequestSchema>, keyof typeof neutralFields>

/** The output cap of a request, per choice. */
export function requestedMaxTokens(request: ChatRequest): number {
  return request.max_tokens ?? request.max_completion_tokens ?? defaultMaxTokens
}

function capsAgree(request: {
  readonly max_tokens?: number | undefined
  readonly max_completion_tokens?: number | undefined
}): boolean {
  const { max_tokens: cap, max_completion_tokens: alias } = request
  return cap === undefined || alias === undefined || cap === alias
}

function effortsAgree(request: {
  readonly reasoning_effort?: string | undefined
  readonly reasoning?: { readonly effort?: string | undefined } | undefined
}): boolean {
  const { reasoning_effort: given, reasoning: { effort: alias } = {} } = request
  return given === undefined || alias === undefined || given === alias
}
