import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'
import { cacheBreakpoint, cacheControl, withoutBreakpoint } from './cache-control.ts'
import { widerInterface, widestLimits } from './chat-limits.ts'

/** The texts of messages, with at most this many UTF-16 code units. */
export function createTextContent(maxCharacters: number) {
  const text = createText(maxCharacters)
  const textPart = z.strictObject({
    type: z.literal('text'),
    text,
    cache_control: optionalField(cacheControl),
    prompt_cache_breakpoint: cacheBreakpoint,
  })
  /** A list of parts, at least one, whose texts fit one message together. */
  function parts<Part extends z.ZodType<TextPart>>(part: Part): z.ZodArray<Part> {
    return z
      .array(part)
      .min(1, 'must have at least one part')
      .refine((given) => charactersOf(given) <= maxCharacters, {
        error: `must have at most ${maxCharacters} characters of text in all parts combined${remedy(maxCharacters)}`,
      })
  }
  return { text, textPart, sentText: textPart.transform(withoutBreakpoint), parts }
}

function remedy(maxCharacters: number): string {
  const wider = widerInterface(maxCharacters, widestLimits.characters)
  return wider === '' ? '' : `: shorten it${wider}`
}

type TextPart = { readonly type: string; readonly text?: string }

/** Zod counts code points, but the limit counts UTF-16 code units. */
function createText(maxCharacters: number): z.ZodString {
  const range = `must have 1 to ${maxCharacters} characters`
  const error = `${range}${remedy(maxCharacters)}`
  return z
    .string()
    .min(1, range)
    .max(maxCharacters, error)
    .refine((value) => value.length <= maxCharacters, { error })
}

function charactersOf(parts: readonly TextPart[]): number {
  return parts.reduce((sum, part) => sum + (part.text?.length ?? 0), 0)
}
