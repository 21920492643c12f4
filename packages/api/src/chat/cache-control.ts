import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'

/** Asks the provider to cache everything up to here, in the format of Anthropic and OpenRouter. */
export const cacheControl = z.strictObject({
  type: z.literal('ephemeral'),
  ttl: optionalField(z.enum(['5m', '1h']).meta({ default: '5m' })),
})
