import { z } from 'zod'
import { optionalField } from '../optional-field.ts'
import { cacheControl } from './cache-control.ts'

/** The most UTF-16 code units in one message's text. */
export const maxMessageCharacters = 100_000

const textLength = `must have 1 to ${maxMessageCharacters} characters`

/** Zod counts code points, but the limit counts UTF-16 code units. */
export const text: z.ZodString = z
  .string()
  .min(1, textLength)
  .max(maxMessageCharacters, textLength)
  .refine((value) => value.length <= maxMessageCharacters, { error: textLength })

export const textPart = z.strictObject({
  type: z.literal('text'),
  text,
  cache_control: optionalField(cacheControl),
})

/** A list of parts, at least one, whose texts fit one message together. */
export function parts<Part extends z.ZodType<{ readonly type: string; readonly text?: string }>>(
  part: Part,
): z.ZodArray<Part> {
  return z
    .array(part)
    .min(1, 'must have at least one part')
    .refine(fitsOneMessage, {
      error: `must have at most ${maxMessageCharacters} characters of text in all parts combined`,
    })
}

function fitsOneMessage(given: readonly { readonly text?: string }[]): boolean {
  return given.reduce((sum, part) => sum + (part.text?.length ?? 0), 0) <= maxMessageCharacters
}
