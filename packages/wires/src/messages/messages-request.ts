import { widestLimits } from '@farebox/api'
import { z } from 'zod'
import { refusedField } from '../wire/refused-field.ts'

/** Claude caches the request up to this mark. One on the body as a whole has no effect. */
const cacheMark = {
  cache_control: z
    .strictObject({ type: z.literal('ephemeral'), ttl: z.string().nullish() })
    .nullish(),
}

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  parsed_output: z.unknown().optional(),
  ...cacheMark,
})

const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
  ...cacheMark,
})

const anyRecord = z.record(z.string(), z.unknown())

/** Some models call tools with arguments other than an object, which Anthropic does not accept. */
const toolInput = z
  .union([anyRecord, z.null(), z.array(z.unknown()), z.string(), z.number(), z.boolean()])
  .transform(
    (input): z.output<typeof anyRecord> =>
      typeof input !== 'object' || input === null || Array.isArray(input) ? {} : input,
  )

const toolset = {
  toolset_name: refusedField('is not supported: tools that run at Anthropic are not sold here'),
}

/** Pieces of a call that a provider streamed without a name have none. */
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string(),
  input: toolInput,
  caller: z.unknown().optional(),
  ...toolset,
  ...cacheMark,
})

/** What a search for tools found: from here on, the model may call it. */
const toolReferenceBlock = z.strictObject({
  type: z.literal('tool_reference'),
  tool_name: z.string().min(1),
  ...cacheMark,
})

const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1),
  content: z
    .union([
      z.string(),
      z.array(z.discriminatedUnion('type', [textBlock, imageBlock, toolReferenceBlock])),
    ])
    .nullish(),
  is_error: z.boolean().nullish(),
  ...toolset,
  ...cacheMark,
})

const thinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().nullish(),
})

const redactedThinkingBlock = z.strictObject({
  type: z.literal('redacted_thinking'),
  data: z.string(),
})

const userMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([
    z.string(),
    z.array(z.discriminatedUnion('type', [textBlock, imageBlock, toolResultBlock])).min(1),
  ]),
})

/** An answer cut off before its first word has no content. */
const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.union([
    z.string(),
    z.array(
      z.discriminatedUnion('type', [textBlock, toolUseBlock, thinkingBlock, redactedThinkingBlock]),
    ),
  ]),
})

const tool = z.strictObject({
  type: z
    .literal('custom', {
      error:
        'must be "custom": tools that Anthropic defines are not sold here. Define one of your own, with an input_schema',
    })
    .nullish(),
  name: z.string(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
  allowed_callers: z.array(z.literal('direct')).nullish(),
  defer_loading: z.boolean().nullish(),
  eager_input_streaming: z.boolean().nullish(),
  ...cacheMark,
})

const toolName = z.strictObject({ type: z.literal('tool_reference'), name: z.string() })
const toolDefinition = z.strictObject({ type: z.literal('tool_definition'), definition: tool })

/** Changes of tools and effort apply from their place in the conversation onward. */
const systemMessage = z.strictObject({
  role: z.literal('system'),
  content: z.union([
    z.string(),
    z.array(
      z.discriminatedUnion('type', [
        textBlock,
        z.strictObject({
          type: z.literal('tool_addition'),
          tool: z.discriminatedUnion('type', [toolName, toolDefinition]),
          ...cacheMark,
        }),
        z.strictObject({ type: z.literal('tool_removal'), tool: toolName, ...cacheMark }),
      ]),
    ),
  ]),
  output_config: z.strictObject({ effort: z.string().nullish() }).nullish(),
})

const parallelUse = { disable_parallel_tool_use: z.boolean().nullish() }

const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallelUse }),
  z.strictObject({ type: z.literal('any'), ...parallelUse }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallelUse }),
  z.strictObject({ type: z.literal('none') }),
])

const jsonSchemaFormat = z.strictObject({
  type: z.literal('json_schema'),
  schema: z.record(z.string(), z.unknown()),
})

/** Thoughts are always left out if the conversation before them has changed. */
const binding = z.strictObject({
  prefix_mismatch_behavior: z.literal('drop_block', 'must be "drop_block"').nullish(),
})
const shown = { display: z.string().nullish(), block_binding: binding.nullish() }

/** How much the model may think. `display` has no effect here. */
const thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.number(), ...shown }),
  z.strictObject({ type: z.literal('adaptive'), ...shown }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('between_tools') }),
])

type Thinker = {
  readonly model: string
  readonly thinking?: z.output<typeof thinking> | null | undefined
}

/** The least that Claude Sonnet 5.5 can think; all other models reject it. */
function takesThinking({ model, thinking: given }: Thinker): boolean {
  return given?.type !== 'between_tools' || /sonnet-5[.-]5/.test(model)
}

const ofOtherModels = {
  path: ['thinking', 'type'],
  error: 'must be "disabled" or "adaptive" for this model: between_tools is for Claude Sonnet 5.5',
}

const messagesAreSent = 'is not supported: shorten the messages before they are sent'

/** The only edit that changes nothing: Claude Code uses it to keep all thinking. */
const contextManagement = z.strictObject({
  edits: z
    .array(
      z.strictObject({
        type: z.literal('clear_thinking_20251015', { error: messagesAreSent }),
        keep: z.literal('all', { error: messagesAreSent }),
      }),
    )
    .nullish(),
})

const { messages: maxMessages } = widestLimits

const countedFields = {
  model: z.string(),
  messages: z
    .array(z.discriminatedUnion('role', [userMessage, assistantMessage, systemMessage]))
    .min(1)
    .max(maxMessages, `must have at most ${maxMessages} messages: summarize the earlier ones`),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: z
    .strictObject({ effort: z.string().nullish(), format: jsonSchemaFormat.nullish() })
    .nullish(),
  context_management: contextManagement.nullish(),
  ...cacheMark,
}

/** A limit on sampling; LangChain sends -1 for one that is not set. */
const limit = z
  .number()
  .nullish()
  .transform((value) => (value === -1 ? undefined : value))

/**
 * The body of `POST /v1/messages`, as Anthropic's published interface has it, less what runs at
 * Anthropic. Values are checked again as a chat request.
 */
export const messagesRequestSchema = z
  .strictObject({
    ...countedFields,
    max_tokens: z.number(),
    stream: z.boolean().nullish(),
    stop_sequences: z.array(z.string()).nullish(),
    temperature: z.number().nullish(),
    top_p: limit,
    top_k: limit,
    metadata: z.strictObject({ user_id: z.string().nullish() }).nullish(),
    service_tier: z.enum(['auto', 'standard_only']).nullish(),
    speed: z.literal('standard').nullish(),
    diagnostics: z.unknown().optional(),
    user_profile_id: z.string().nullish(),
    inference_geo: refusedField('is not supported'),
    thread: refusedField(
      'is not supported: nothing is stored here. Send the whole conversation in messages',
    ),
    container: refusedField('is not supported: code does not run here'),
    mcp_servers: refusedField('is not supported: connect to MCP servers from the client'),
    output_format: refusedField('is not supported: use output_config.format'),
  })
  .refine(takesThinking, ofOtherModels)

/** The body of `POST /v1/messages/count_tokens`. */
export const countTokensRequestSchema = z
  .strictObject(countedFields)
  .refine(takesThinking, ofOtherModels)

export type MessagesRequest = z.output<typeof messagesRequestSchema>
export type CountTokensRequest = z.output<typeof countTokensRequestSchema>
export type SystemContent = z.output<typeof systemMessage>['content']
export type ToolDefinition = z.output<typeof tool>
export type UserContent = z.output<typeof userMessage>['content']
export type AssistantContent = z.output<typeof assistantMessage>['content']
export type ToolResultBlock = z.output<typeof toolResultBlock>
