import { z } from 'zod'
import { optionalField } from '../fields/optional-field.ts'

const providerNames = optionalField(
  z
    .array(
      z
        .string()
        .max(64)
        .regex(/^[A-Za-z0-9][A-Za-z0-9 ._:/-]*$/, 'is not the name of a provider'),
    )
    .max(32, 'must have at most 32 providers'),
)

const allowed = z.literal('allow', 'must be "allow": no provider is known not to collect data')
const never = z.literal(false, 'must be false, or removed')
/**
 * OpenRouter's `provider`: the order of the providers, and which may serve the request at all. Its
 * other keys are accepted only with the value that requests nothing.
 */
export const providerPreferences = z.strictObject({
  order: providerNames,
  only: providerNames,
  ignore: providerNames,
  allow_fallbacks: optionalField(z.boolean().meta({ default: true })),
  require_parameters: optionalField(z.boolean()),
  data_collection: optionalField(allowed),
  zdr: optionalField(never),
  enforce_distillable_text: optionalField(never),
  quantizations: optionalField(z.array(z.unknown()).max(0, 'must be empty, or removed')),
  sort: z.literal(null, 'must be removed: use order instead').optional(),
  max_price: optionalField(z.strictObject({})),
})

/** Which providers may serve a request, and in which order. */
export type ProviderPreferences = z.output<typeof providerPreferences>
