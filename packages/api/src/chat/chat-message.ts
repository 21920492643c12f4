import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'
import { hasBase64, isStandardBase64 } from '../has-base64.ts'
import { createAssistantMessage } from './assistant-message.ts'
import { cacheBreakpoint, cacheControl, withoutBreakpoint } from './cache-control.ts'
import { specifiedLimits, widestLimits } from './chat-limits.ts'
import { speakerName } from './speaker-name.ts'
import { createTextContent } from './text-content.ts'

/** Signed addresses take up to some 2,000 characters. */
const maxAddress = 8_192

/** Some providers take standard base64 alone; to rewrite what is longer would hold up other requests. */
const maxRewritten = 10_000_000

const imagePart = z
  .strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({
      url: z
        .string()
        .regex(
          /^(https:\/\/[^\s/?#]+([/?#]|$)|data:image\/)/,
          'must be an https URL or a data:image/ URL. Send a PDF as its text, or as images of its pages',
        )
        .refine((url) => !/^data:image\/svg/i.test(url), {
          error: 'must not be an SVG, which no model accepts: convert it to PNG',
        })
        .refine((url) => !url.startsWith('https:') || url.length <= maxAddress, {
          error: `must be an https URL of at most ${maxAddress} characters`,
        })
        .refine((url) => url.startsWith('https:') || hasBase64(url), {
          error: 'must have the image in base64 after data:image/png;base64, (or jpeg, webp, gif)',
        })
        .refine((url) => url.length <= maxRewritten || isStandardBase64(url), {
          error: `must be in the standard alphabet of base64, without line breaks, above ${maxRewritten} characters`,
        }),
      detail: optionalField(z.enum(['auto', 'low', 'high'])),
    }),
    cache_control: optionalField(cacheControl),
    prompt_cache_breakpoint: cacheBreakpoint,
  })
  .transform(withoutBreakpoint)

const long = createTextContent(widestLimits.characters)

/** LangChain and OpenRouter's SDK send the name of the tool, which only the call needs. */
const toolMessage = z
  .strictObject({
    role: z.literal('tool'),
    // A tool may return nothing, or a whole file.
    content: z.union([
      z.literal(''),
      long.text,
      long.parts(z.discriminatedUnion('type', [long.sentText, imagePart])),
    ]),
    tool_call_id: z.string().min(1).max(256),
    name: optionalField(z.string()),
  })
  .transform(({ role, content, tool_call_id }) => ({ role, content, tool_call_id }))

/** A message whose text has at most `maxCharacters` characters, tool results excepted. */
export function createChatMessageSchema(maxCharacters: number) {
  const { text, sentText, parts } = createTextContent(maxCharacters)
  const instructions = { content: z.union([text, parts(sentText)]), name: speakerName }
  const userParts = parts(z.discriminatedUnion('type', [sentText, imagePart]))
  return z.discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), ...instructions }),
    z.strictObject({
      role: z.literal('user'),
      content: z.union([text, userParts]),
      name: speakerName,
    }),
    createAssistantMessage(maxCharacters),
    z.strictObject({ role: z.literal('developer'), ...instructions }),
    toolMessage,
  ])
}

/** A message of a chat request: the specification's roles, and `developer` and `tool`. */
export const chatMessageSchema = createChatMessageSchema(specifiedLimits.characters)

/** A validated message: what a provider may need, and nothing else. */
export type ChatMessage = z.output<typeof chatMessageSchema>
