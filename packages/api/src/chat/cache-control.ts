import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'

/** Asks the provider to cache everything up to here, in the format of Anthropic and OpenRouter. */
export const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: optionalField(z.enum(['5m', '1h']).meta({ default: '5m' })),
})

/** OpenAI's form of it. It has no effect here. */
export const cacheBreakpoint = optionalField(z.strictObject({ mode: z.literal('explicit') }))

/** The same part as it is after validation. */
export function withoutBreakpoint<Part extends { prompt_cache_breakpoint?: unknown }>({
  prompt_cache_breakpoint: _,
  ...part
}: Part): Omit<Part, 'prompt_cache_breakpoint'> {
  return part
}
