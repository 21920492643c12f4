import { z } from 'zod'

const quoteLineSchema = z.looseObject({ label: z.string() })

/** The response of `POST /v1/estimate`. */
export const chatEstimateSchema = z.object({
  model: z.string(),
  estimatedInputTokens: z.int().min(0),
  estimatedOutputTokens: z.int().min(1),
  estimatedCost: z.object({
    usd: z.string().describe('The maximum upfront charge in USD, as a decimal string'),
    note: z.string(),
  }),
  message: z.string(),
  explanation: z
    .array(quoteLineSchema)
    .optional()
    .describe('The lines of the quote, with ?explain=1'),
})

/** The response of `POST /v1/images/estimate`. */
export const imageEstimateSchema = z.object({
  model: z.string(),
  dimensions: z.string().describe('<width>×<height>, with a multiplication sign'),
  number_of_images: z.int().min(1).max(4),
  estimatedCost: z.object({ usd: z.string(), note: z.string() }),
  explanation: z
    .array(quoteLineSchema)
    .optional()
    .describe('The lines of the quote, with ?explain=1'),
})

/** The response of `POST /v1/estimate`. */
export type ChatEstimate = z.output<typeof chatEstimateSchema>
/** The response of `POST /v1/images/estimate`. */
export type ImageEstimate = z.output<typeof imageEstimateSchema>
