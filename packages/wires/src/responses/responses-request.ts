import { widestLimits } from '@farebox/api'
import { z } from 'zod'
import { refusedField } from '../wire/refused-field.ts'

const stateless = 'is not supported: nothing is stored here. Send the whole conversation in input'

/** Caches are kept without it, too. */
const breakpoint = {
  prompt_cache_breakpoint: z.strictObject({ mode: z.literal('explicit') }).nullish(),
}

const inputText = z.strictObject({
  type: z.enum(['input_text', 'text']),
  text: z.string(),
  ...breakpoint,
})
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string(),
  detail: z.enum(['auto', 'low', 'high']).nullish(),
  file_id: refusedField('is not supported: files are not stored here. Give image_url instead'),
  ...breakpoint,
})
/** LangChain sends the parts of chat completions. */
const chatImage = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string(),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  }),
})
const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).nullish(),
  logprobs: z.array(z.unknown()).nullish(),
  parsed: z.unknown().optional(),
})
/** The stream helper of `openai` adds `parsed` to refusals too. */
const outputRefusal = z.strictObject({
  type: z.literal('refusal'),
  refusal: z.string(),
  parsed: z.unknown().optional(),
})

const part = z.discriminatedUnion('type', [
  inputText,
  inputImage,
  chatImage,
  outputText,
  outputRefusal,
])

const itemState = { id: z.string().nullish(), status: z.string().nullish() }

const messageItem = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'system', 'developer', 'assistant']),
  content: z.union([z.string(), z.array(part)]),
  phase: z.string().nullish(),
  ...itemState,
})

/** Who called a function is not needed to continue: the model alone calls here. */
const calling = { caller: z.unknown().optional(), namespace: refusedField('is not supported') }

const notLater = z
  .literal(false, { error: 'must be false: a function is called before the answer ends' })
  .nullish()

/** Pieces of a call that a provider streamed without a name have none. */
const functionCallItem = z.strictObject({
  type: z.literal('function_call'),
  call_id: z.string().min(1),
  name: z.string(),
  arguments: z.string(),
  parsed_arguments: z.unknown().optional(),
  async: notLater,
  ...calling,
  ...itemState,
})

const customCallItem = z.strictObject({
  type: z.literal('custom_tool_call'),
  call_id: z.string().min(1),
  name: z.string(),
  input: z.string(),
  async: notLater,
  ...calling,
  ...itemState,
})

const toolOutputItem = z.strictObject({
  type: z.enum(['function_call_output', 'custom_tool_call_output']),
  call_id: z.string().min(1),
  output: z.union([
    z.string(),
    z.array(z.discriminatedUnion('type', [inputText, inputImage])).min(1),
  ]),
  name: z.string().nullish(),
  ...calling,
  ...itemState,
})

const reasoningItem = z.strictObject({
  type: z.literal('reasoning'),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })).nullish(),
  content: z
    .array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() }))
    .nullish(),
  encrypted_content: z.string().nullish(),
  ...itemState,
})

/** An image of an earlier answer. How it was made is not needed to continue. */
const imageItem = z.strictObject({
  type: z.literal('image_generation_call'),
  result: z.string().nullish(),
  output_format: z.string().nullish(),
  action: z.unknown().optional(),
  background: z.unknown().optional(),
  error: z.unknown().optional(),
  quality: z.unknown().optional(),
  revised_prompt: z.unknown().optional(),
  size: z.unknown().optional(),
  svg_usage: z.unknown().optional(),
  ...itemState,
})

const referenceItem = z.strictObject({
  type: z.literal('item_reference'),
  id: refusedField(`${stateless}; with the AI SDK set providerOptions.openai.store to false`),
})

const inputItem = z.discriminatedUnion('type', [
  messageItem,
  functionCallItem,
  customCallItem,
  toolOutputItem,
  reasoningItem,
  imageItem,
  referenceItem,
])

const called = {
  name: z.string(),
  description: z.string().nullish(),
  allowed_callers: z.array(z.literal('direct')).nullish(),
  async: notLater,
  defer_loading: z.literal(false, { error: 'must be false: every tool is sent' }).nullish(),
}

const functionTool = z.strictObject({
  type: z.literal('function'),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  ...called,
})

const customTool = z.strictObject({
  type: z.literal('custom'),
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({
        type: z.literal('grammar'),
        syntax: z.enum(['lark', 'regex']),
        definition: z.string(),
      }),
    ])
    .nullish(),
  ...called,
})

const tool = z.discriminatedUnion('type', [functionTool, customTool], {
  error: ({ input }) => `must be "function" or "custom"${adviceOn(input)}`,
})

/** Tools that Codex offers by default, and the settings that leave them out. */
const offeredByCodex: ReadonlyMap<unknown, string> = new Map([
  ['web_search', ': web search is not sold here. In Codex, set web_search = "disabled"'],
  [
    'namespace',
    ': namespaces of tools are not sold here. Send their functions; in Codex, set agents.enabled = false',
  ],
])

function adviceOn(tool: unknown): string {
  const type = typeof tool === 'object' && tool !== null && 'type' in tool ? tool.type : undefined
  if (type === undefined) return ''
  return offeredByCodex.get(type) ?? ': tools that run at OpenAI are not sold here'
}

const namedTool = z.strictObject({ type: z.enum(['function', 'custom']), name: z.string() })

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    namedTool,
    z.strictObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(namedTool).min(1),
    }),
  ]),
])

const textFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z.string(),
    schema: z.record(z.string(), z.unknown()),
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
])

const { messages: maxItems } = widestLimits

/** What the answer may carry besides its text. */
const included = z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'])

/**
 * The body of `POST /v1/responses`, as OpenAI's published interface has it, less what needs stored
 * state or tools of OpenAI's own. Values are checked again as a chat request.
 */
export const responsesRequestSchema = z.strictObject({
  model: z.string().nullish(),
  input: z.union([
    z.string(),
    z
      .array(inputItem)
      .min(1)
      .max(maxItems, `must have at most ${maxItems} items: summarize the earlier ones`),
  ]),
  instructions: z.string().nullish(),
  max_output_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_logprobs: z.number().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.number().nullish(),
  text: z.strictObject({ format: textFormat.nullish(), verbosity: z.string().nullish() }).nullish(),
  reasoning: z
    .strictObject({
      effort: z.string().nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      context: z.literal('auto').nullish(),
      mode: z.literal('standard').nullish(),
    })
    .nullish(),
  include: z.array(included).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  client_metadata: z.record(z.string(), z.unknown()).nullish(),
  prompt_cache_retention: z.string().nullish(),
  prompt_cache_options: z
    .strictObject({ mode: z.enum(['implicit', 'explicit']).nullish(), ttl: z.string().nullish() })
    .nullish(),
  service_tier: z.string().nullish(),
  store: z
    .literal(false, {
      error: 'must be false: nothing is stored here. Remove it, or set it to false',
    })
    .nullish(),
  truncation: z
    .literal('disabled', { error: 'must be "disabled": input is never shortened here' })
    .nullish(),
  background: z
    .literal(false, { error: 'must be false: an answer is given in the response to its request' })
    .nullish(),
  previous_response_id: refusedField(stateless),
  conversation: refusedField(stateless),
  context_management: refusedField('is not supported: shorten input before it is sent'),
  moderation: refusedField('is not supported: requests are not moderated here'),
  prompt: refusedField('is not supported: prompts are not stored here. Send input'),
})

export type ResponsesRequest = z.output<typeof responsesRequestSchema>
export type InputItem = z.output<typeof inputItem>
export type MessageItem = z.output<typeof messageItem>
export type CallItem = z.output<typeof functionCallItem> | z.output<typeof customCallItem>
export type ToolOutputItem = z.output<typeof toolOutputItem>
export type ReasoningItem = z.output<typeof reasoningItem>
export type CustomTool = z.output<typeof customTool>
