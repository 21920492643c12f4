import { z } from 'zod'
import { optionalField } from '../optional-field.ts'

/** Asks for a cache of everything up to here, in the words of Anthropic and OpenRouter. */
export const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: optionalField(z.enum(['5m', '1h']).meta({ default: '5m' })),
})
