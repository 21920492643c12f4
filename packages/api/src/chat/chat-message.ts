import { z } from 'zod'
import { optionalField } from '../optional-field.ts'

/** The most UTF-16 code units in one message's text. */
export const maxMessageCharacters = 100_000

const textLength = `must have 1 to ${maxMessageCharacters} characters`

/** Zod counts code points, but the limit counts UTF-16 code units. */
const text: z.ZodString = z
  .string()
  .min(1, textLength)
  .max(maxMessageCharacters, textLength)
  .refine((value) => value.length <= maxMessageCharacters, { error: textLength })

const name = optionalField(
  z
    .string()
    .regex(
      /^[^\s<|\\/>]{1,64}$/,
      'must be 1 to 64 characters without white space, <, |, \\, / or >',
    ),
)

const textPart = z.strictObject({ type: z.literal('text'), text })

const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z
      .string()
      .regex(/^(https:\/\/|data:image\/)/, 'must be an https URL or a data:image/ URL'),
    detail: optionalField(z.enum(['auto', 'low', 'high'])),
  }),
})

const textParts = z
  .array(textPart)
  .min(1, 'must have at least one part')
  .refine(fitsOneMessage, {
    error: `must have at most ${maxMessageCharacters} characters of text in all parts combined`,
  })

const userParts = z
  .array(z.discriminatedUnion('type', [textPart, imagePart]))
  .min(1, 'must have at least one part')
  .refine(fitsOneMessage, {
    error: `must have at most ${maxMessageCharacters} characters of text in all parts combined`,
  })

const toolCall = z.strictObject({
  id: z.string().min(1).max(256),
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1).max(128),
    arguments: z.string().max(maxMessageCharacters),
  }),
})

const systemMessage = z.strictObject({
  role: z.literal('system'),
  content: z.union([text, textParts]),
  name,
})

const developerMessage = z.strictObject({
  role: z.literal('developer'),
  content: z.union([text, textParts]),
  name,
})

const userMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([text, userParts]),
  name,
})

/** OpenAI's clients send an empty string as the content of a message with only tool calls. */
const assistantContent = z.preprocess(
  (value) => (value === '' ? undefined : value),
  optionalField(z.union([text, textParts])),
)

const assistantMessage = z
  .strictObject({
    role: z.literal('assistant'),
    content: assistantContent,
    name,
    refusal: optionalField(text),
    tool_calls: optionalField(z.array(toolCall).min(1).max(128)),
  })
  .refine((message) => message.content !== undefined || message.tool_calls !== undefined, {
    error: `must have 1 to ${maxMessageCharacters} characters unless the message has tool_calls`,
    path: ['content'],
  })

const toolMessage = z.strictObject({
  role: z.literal('tool'),
  // A tool may return nothing.
  content: z.union([z.literal(''), text, textParts]),
  tool_call_id: z.string().min(1).max(256),
})

/** A message of a chat request: the specification's roles, and `developer` and `tool`. */
export const chatMessageSchema = z.discriminatedUnion('role', [
  systemMessage,
  userMessage,
  assistantMessage,
  developerMessage,
  toolMessage,
])

export type ChatMessage = z.output<typeof chatMessageSchema>

function fitsOneMessage(
  parts: readonly { readonly type: string; readonly text?: string }[],
): boolean {
  return parts.reduce((sum, part) => sum + (part.text?.length ?? 0), 0) <= maxMessageCharacters
}
