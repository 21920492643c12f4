import { z } from 'zod'
import { optionalField } from './optional-field.ts'

/** The width and height of a request without them. */
export const defaultImageSide = 1024

const side = z
  .int()
  .min(128, 'must be between 128 and 2048')
  .max(2048, 'must be between 128 and 2048')
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
  numberResults: optionalField(
    z
      .int()
      .min(1, 'must be between 1 and 4')
      .max(4, 'must be between 1 and 4')
      .meta({ default: 1 }),
  ),
  steps: optionalField(
    z.int().min(1, 'must be between 1 and 100').max(100, 'must be between 1 and 100'),
  ),
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

export type ImageEstimateRequest = z.output<typeof imageEstimateRequestSchema>
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

export type ImageResultBody = z.output<typeof imageResultSchema>
