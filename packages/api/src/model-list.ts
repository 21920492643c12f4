import { z } from 'zod'

/** The response of `GET /v1/models`. */
export const chatModelListSchema = z.object({
  total: z.int(),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      context_length: z.int(),
      pricing: z.object({
        input_per_1k_tokens: z.number(),
        output_per_1k_tokens: z.number(),
        blended_per_1k_tokens: z.number(),
      }),
    }),
  ),
})

/** The response of `GET /v1/images/models`. */
export const imageModelListSchema = z.object({
  total: z.int(),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      architecture: z.string(),
      category: z.enum(['fast', 'realistic', 'anime', 'artistic', 'professional']),
      supportsSteps: z.boolean(),
      pricing: z.record(z.string(), z.string()),
    }),
  ),
})

export type ChatModelList = z.output<typeof chatModelListSchema>
export type ImageModelList = z.output<typeof imageModelListSchema>
