import { z } from 'zod'
import { optionalField } from './fields/optional-field.ts'
import { wholeNumberBetween } from './fields/whole-number-between.ts'

/** The width and height of a request without them. */
export const defaultImageSide = 1024

const side = wholeNumberBetween(128, 2048)
  .multipleOf(64, 'must be divisible by 64')
  .meta({ default: defaultImageSide })

const prompt = z
  .string()
  .min(1, 'must have 1 to 3000 characters')
  .max(3000, 'must have 1 to 3000 characters')

const shared = {
  width: optionalField(side),
  height: optionalField(side),
  model: optionalField(z.string().min(1).max(256)),
  numberResults: optionalField(wholeNumberBetween(1, 4).meta({ default: 1 })),
  steps: optionalField(wholeNumberBetween(1, 100)),
  negativePrompt: optionalField(prompt),
  seed: optionalField(z.int().min(1)),
  response_format: optionalField(z.enum(['url', 'b64_json']).meta({ default: 'url' })),
}

/** The body of `POST /v1/images/estimate`: as for generation, but the prompt is optional. */
export const imageEstimateRequestSchema = z.strictObject({
  ...shared,
  prompt: optionalField(prompt),
})

/** The body of `POST /v1/images/generate`. */
export const imageRequestSchema = z.strictObject({ ...shared, prompt })

/** The body of `POST /v1/images/estimate`, parsed. */
export type ImageEstimateRequest = z.output<typeof imageEstimateRequestSchema>
/** The body of `POST /v1/images/generate`, parsed. */
export type ImageRequest = z.output<typeof imageRequestSchema>

/** The response of `POST /v1/images/generate`. */
export const imageResultSchema = z.object({
  model: z.string(),
  dimensions: z.string(),
  images: z.array(
    z.object({
      url: z.string(),
      b64_json: z.string().optional(),
      seed: z.number().optional(),
    }),
  ),
  number_of_images: z.int(),
  cost: z.object({ usd: z.string(), usdc: z.string() }),
})

/** The response of `POST /v1/images/generate`. */
export type ImageResultBody = z.output<typeof imageResultSchema>
