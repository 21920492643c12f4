import { readFileSync } from 'node:fs'
import * as z from 'zod'

const ratesSchema = z.strictObject({
  input: z.string(),
  output: z.string(),
  cacheRead: z.string().exactOptional(),
})
const entryName = z.tuple([z.string(), z.string()])

const modelSchema = z.strictObject({
  id: z.string(),
  /** The file and id of this offer in pi-ai. */
  source: entryName,
  /** The file and id of the maker's own offer in pi-ai, whose price takes precedence over a router's. */
  makerEntry: entryName.optional(),
  /** Other hosts of the same weights: the price covers the most expensive one. */
  sameWeights: z.array(entryName).optional(),
  /** The router's input rate is nearly its cache rate, so it is not used. */
  implausibleListing: z.literal(true).optional(),
  /** Why the model is not sold. */
  heldBack: z
    .enum(['moving_alias', 'conditional_price', 'non_text_output', 'spot_capacity'])
    .optional(),
  maker: z.string().optional(),
  contextLength: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  inputModalities: z.array(z.enum(['text', 'image', 'audio', 'video', 'pdf'])).optional(),
  reasoning: z.enum(['none', 'optional', 'always']).optional(),
  outputAllowanceTokens: z.number().optional(),
  released: z.string().optional(),
  note: z.string().optional(),
  atLeast: ratesSchema.extend({ source: z.string() }).optional(),
  peak: z
    .strictObject({
      days: z.array(z.number()),
      windows: z.array(z.tuple([z.string(), z.string()])),
      /** Where the packages list the peak price. */
      offPeak: ratesSchema.optional(),
      /** Where the packages list the price outside the peak. */
      peak: ratesSchema.optional(),
      source: z.string(),
    })
    .optional(),
  scheduled: z
    .array(ratesSchema.extend({ effectiveFrom: z.string(), source: z.string() }))
    .optional(),
})

const factsSchema = z.strictObject({
  about: z.string(),
  sources: z.array(z.string()),
  pricesAsOf: z.string(),
  makers: z.record(z.string(), z.string()),
  models: z.array(modelSchema),
})

export type ChatFacts = z.infer<typeof factsSchema>
export type ChatFact = z.infer<typeof modelSchema>

/** Reads the facts that the pinned packages lack. */
export function readChatFacts(path: URL): ChatFacts {
  return factsSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
}
