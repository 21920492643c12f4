import { z } from 'zod'
import { optionalField } from '../optional-field.ts'
import { assistantMessage } from './assistant-message.ts'
import { cacheControl } from './cache-control.ts'
import { speakerName } from './speaker-name.ts'
import { parts, text, textPart } from './text-content.ts'

const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z
      .string()
      .regex(/^(https:\/\/|data:image\/)/, 'must be an https URL or a data:image/ URL'),
    detail: optionalField(z.enum(['auto', 'low', 'high'])),
  }),
  cache_control: optionalField(cacheControl),
})

const textParts = parts(textPart)

const userParts = parts(z.discriminatedUnion('type', [textPart, imagePart]))

const systemMessage = z.strictObject({
  role: z.literal('system'),
  content: z.union([text, textParts]),
  name: speakerName,
})

const developerMessage = z.strictObject({
  role: z.literal('developer'),
  content: z.union([text, textParts]),
  name: speakerName,
})

const userMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([text, userParts]),
  name: speakerName,
})

/** LangChain and OpenRouter's SDK send the name of the tool, which only the call needs. */
const toolMessage = z
  .strictObject({
    role: z.literal('tool'),
    // A tool may return nothing.
    content: z.union([z.literal(''), text, userParts]),
    tool_call_id: z.string().min(1).max(256),
    name: optionalField(z.string()),
  })
  .transform(({ role, content, tool_call_id }) => ({ role, content, tool_call_id }))

/** A message of a chat request: the specification's roles, and `developer` and `tool`. */
export const chatMessageSchema = z.discriminatedUnion('role', [
  systemMessage,
  userMessage,
  assistantMessage,
  developerMessage,
  toolMessage,
])

/** A validated message: what a provider may need, and nothing else. */
export type ChatMessage = z.output<typeof chatMessageSchema>
