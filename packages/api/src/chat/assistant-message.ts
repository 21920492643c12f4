import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'
import { cacheControl } from './cache-control.ts'
import { widestLimits } from './chat-limits.ts'
import { speakerName } from './speaker-name.ts'
import { createTextContent } from './text-content.ts'

/** Reasoning and arguments may be longer than a message: they can be most of a model's output. */
const longText = z.string().max(widestLimits.characters)

const shortText = z.string().max(256)

/** A step of reasoning as OpenRouter returns it. Other fields are dropped. */
const reasoningDetail = z.object({
  type: shortText,
  id: optionalField(shortText),
  format: optionalField(shortText),
  index: optionalField(z.int()),
  text: optionalField(longText),
  summary: optionalField(longText),
  data: optionalField(longText),
  signature: optionalField(longText),
})

/** `index` and `parsed_arguments` come with streams and with the helpers of OpenAI's clients. */
const toolCall = z
  .strictObject({
    id: z.string().min(1).max(256),
    type: z.literal('function'),
    index: optionalField(z.int()),
    function: z.strictObject({
      name: z.string().max(128),
      arguments: longText,
      parsed_arguments: z.unknown().optional(),
    }),
    cache_control: optionalField(cacheControl),
  })
  .transform(({ id, type, function: { name, arguments: given }, cache_control }) => ({
    id,
    type,
    function: { name, arguments: given },
    cache_control,
  }))

/** OpenAI's agents repeat the other fields of an answer in each of its parts. */
const answerPart = {
  role: z.unknown().optional(),
  refusal: z.unknown().optional(),
  annotations: z.unknown().optional(),
  images: z.unknown().optional(),
  audio: z.unknown().optional(),
  function_call: z.unknown().optional(),
  tool_calls: z.unknown().optional(),
  reasoning: z.unknown().optional(),
  reasoning_content: z.unknown().optional(),
  reasoning_details: z.unknown().optional(),
}

/** LangChain moves the images of an answer into its content. */
const picturePart = z.looseObject({ type: z.enum(['image', 'image_url']) })

/** Its text has at most `maxCharacters` characters. */
function createReceivedMessage(maxCharacters: number) {
  const { text, textPart, parts } = createTextContent(maxCharacters)
  const answeredText = textPart
    .extend({ ...answerPart, text: z.union([z.literal(''), text]) })
    .transform(({ type, text: given, cache_control }) => ({ type, text: given, cache_control }))
  const refusalPart = z
    .strictObject({ ...answerPart, type: z.literal('refusal'), refusal: text })
    .transform(({ refusal }) => ({
      type: 'text' as const,
      text: refusal,
      cache_control: undefined,
    }))
  const anyPart = z.discriminatedUnion('type', [answeredText, refusalPart, picturePart])
  const answerParts = parts(anyPart).transform((given) =>
    given.filter((one) => one.type === 'text').filter((one) => one.text !== ''),
  )
  return z.strictObject({
    role: z.literal('assistant'),
    // OpenRouter's provider for the AI SDK sends nothing else of an answer cut off in its thoughts.
    content: z
      .union([z.literal(''), text, answerParts])
      .nullish()
      .transform((given) => (given === null ? '' : given)),
    name: speakerName,
    refusal: optionalField(z.string().max(maxCharacters)),
    tool_calls: optionalField(z.array(toolCall).max(128)),
    reasoning: optionalField(longText),
    reasoning_content: optionalField(longText),
    // Clients keep one for each token that a model thinks.
    reasoning_details: optionalField(z.array(reasoningDetail).max(32_768)),
    annotations: optionalField(z.array(z.unknown())),
    images: optionalField(z.array(z.unknown())),
    audio: optionalField(z.looseObject({})),
    function_call: optionalField(z.looseObject({})),
    parsed: z.unknown().optional(),
  })
}

type Received = z.output<ReturnType<typeof createReceivedMessage>>

type KeptMessage = Pick<
  Received,
  'role' | 'name' | 'tool_calls' | 'reasoning' | 'reasoning_content' | 'reasoning_details'
> & { readonly content?: Exclude<Received['content'], ''> }

/**
 * An assistant message as this service, OpenAI, OpenRouter and their clients return it. Fields that
 * no provider needs to continue the conversation are dropped, so that they are neither counted nor
 * forwarded. Its text has at most `maxCharacters` characters, and so has its refusal.
 */
export function createAssistantMessage(maxCharacters: number) {
  return createReceivedMessage(maxCharacters)
    .refine(hasContent, {
      error: `must have 1 to ${maxCharacters} characters unless the message has tool_calls`,
      path: ['content'],
    })
    .transform(keptMessage)
}

function hasContent({ content, ...message }: Received): boolean {
  if (content !== undefined) return true
  const { refusal, reasoning, reasoning_content, audio, function_call } = message
  const { tool_calls = [], reasoning_details = [], images = [] } = message
  if (tool_calls.length + reasoning_details.length + images.length > 0) return true
  return Boolean(refusal || reasoning || reasoning_content || audio || function_call)
}

function keptMessage(message: Received): KeptMessage {
  const { role, name, reasoning, reasoning_content, reasoning_details } = message
  // Pieces of a call that a provider streamed without a name call nothing.
  const calls = (message.tool_calls ?? []).filter((call) => call.function.name !== '')
  return {
    role,
    content: keptContent(message),
    name,
    tool_calls: calls.length > 0 ? calls : undefined,
    reasoning: reasoning || undefined,
    reasoning_content: reasoning_content || undefined,
    reasoning_details,
  }
}

/** A refusal is the model's answer, and most providers accept it only as content. */
function keptContent({ content, refusal }: Received): Exclude<Received['content'], ''> {
  if (!content?.length) return refusal || undefined
  if (!refusal) return content
  if (typeof content === 'string') {
    return content === refusal ? content : `${content}\n\n${refusal}`
  }
  if (content.some((part) => part.text === refusal)) return content
  return [...content, { type: 'text', text: refusal, cache_control: undefined }]
}
