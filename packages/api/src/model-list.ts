import { z } from 'zod'

/** A model as OpenAI's clients list it. */
export const modelObjectSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z
    .int()
    .describe(
      'When the model was released, or else the date of its first known price, in Unix seconds',
    ),
  owned_by: z.string(),
})

const listedModelSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  context_length: z.int(),
  pricing: z.object({
    input_per_1k_tokens: z.number(),
    output_per_1k_tokens: z.number(),
    blended_per_1k_tokens: z.number(),
  }),
})

/** The response of `GET /v1/models/{id}`: the fields of both lists. */
export const chatModelSchema = modelObjectSchema.extend(listedModelSchema.shape)

/** The response of `GET /v1/models`: the same models twice, the second time for OpenAI's clients. */
export const chatModelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(modelObjectSchema),
  total: z.int(),
  models: z.array(listedModelSchema),
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
      defaultSteps: z
        .int()
        .optional()
        .describe('The number of steps if a request sets none; the prices are for it'),
      pricing: z
        .record(z.string(), z.string())
        .describe('The price of one image at common sizes, at the default steps'),
    }),
  ),
  note: z.string().optional().describe('What the prices apply to'),
})

/** One chat model, with its limits and prices. */
export type ChatModelBody = z.output<typeof chatModelSchema>
/** The response of `GET /v1/models`. */
export type ChatModelList = z.output<typeof chatModelListSchema>
/** The response of `GET /v1/images/models`. */
export type ImageModelList = z.output<typeof imageModelListSchema>
