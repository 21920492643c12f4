import * as z from 'zod'
import type { ChatPriceRecord, ChatRecord, PriceBasis } from '../chat/chat-record.ts'
import {
  cheaperThanRoutes,
  modalitiesSchema,
  peakSchema,
  profileSchema,
  ratesSchema,
  reasoningSchema,
  routesSchema,
  tiersSchema,
} from '../chat/chat-record-schema.ts'
import { coversRoutes } from '../chat/covers-routes.ts'
import type { ChatChange, ImageChange } from '../data/apply-overrides.ts'
import { imageRuleSchema, imageSizesSchema } from '../image/image-record-schema.ts'
import { count, decimal, markup, modelId, text } from '../record/record-fields.ts'

/** An operator's price applies from the beginning, so no shipped or announced price replaces it. */
const always = '1970-01-01'

/** A chat price as an operator writes it: USD per 1,000,000 tokens. */
function chatPriceBy(basis: PriceBasis, source: string): z.ZodType<ChatPriceRecord> {
  return z
    .strictObject({
      input: decimal,
      output: decimal,
      cacheRead: decimal.exactOptional(),
      cacheWrite: decimal.exactOptional(),
      tiers: tiersSchema.default([]),
      peak: peakSchema.exactOptional(),
      perRequest: decimal.exactOptional(),
      outputAllowanceTokens: count.exactOptional(),
    })
    .transform(({ input, output, cacheRead, cacheWrite, ...price }) => ({
      effectiveFrom: always,
      basis,
      source,
      rates: {
        input,
        output,
        ...(cacheRead !== undefined && { cacheRead }),
        ...(cacheWrite !== undefined && { cacheWrite }),
      },
      ...price,
    }))
    .refine(({ rates }) => ratesSchema.safeParse(rates).success, {
      message: 'must be USD per 1,000,000 tokens: input from 0.001 to 200, output up to 1000',
    })
}

/** An operator's own model; fields with a default can be omitted. */
export function operatorChatModelSchema(basis: PriceBasis, source: string): z.ZodType<ChatRecord> {
  return z
    .strictObject({
      id: modelId,
      name: text.optional(),
      description: text.optional(),
      maker: text.optional(),
      contextLength: count,
      maxOutputTokens: count,
      inputModalities: modalitiesSchema.default(['text']),
      reasoning: reasoningSchema.default('none'),
      accepts: profileSchema.default('open'),
      maxTemperature: z.number().positive().max(2).exactOptional(),
      counter: text.default('generic'),
      routes: routesSchema.optional(),
      price: chatPriceBy(basis, source),
    })
    .refine((model) => model.maxOutputTokens <= model.contextLength, {
      path: ['maxOutputTokens'],
      message: 'must not exceed contextLength',
    })
    .refine(({ price, routes = [] }) => coversRoutes(price.rates, routes), cheaperThanRoutes)
    .transform(({ price, routes, name, maker, description, ...model }) => ({
      ...model,
      name: name ?? model.id,
      maker: maker ?? model.id.split('/', 1).join(),
      description: description ?? `${name ?? model.id}, offered by the operator of this service.`,
      routes: routes ?? [{ provider: 'custom' as const, model: model.id }],
      prices: [price],
    }))
}

/** Changes to a chat model of the catalog. */
export const chatChangeSchema: z.ZodType<ChatChange> = z.strictObject({
  name: text.exactOptional(),
  description: text.exactOptional(),
  maker: text.exactOptional(),
  contextLength: count.exactOptional(),
  maxOutputTokens: count.exactOptional(),
  inputModalities: modalitiesSchema.exactOptional(),
  reasoning: reasoningSchema.exactOptional(),
  accepts: profileSchema.exactOptional(),
  maxTemperature: z.number().positive().max(2).exactOptional(),
  counter: text.exactOptional(),
  routes: routesSchema.exactOptional(),
  price: chatPriceBy('override', 'the operator').exactOptional(),
  markupBps: markup.exactOptional(),
})

/** Changes to an image model of the catalog. */
export const imageChangeSchema: z.ZodType<ImageChange> = z.strictObject({
  name: text.exactOptional(),
  description: text.exactOptional(),
  sizes: imageSizesSchema.exactOptional(),
  maxPromptLength: count.exactOptional(),
  price: imageRuleSchema
    .transform((rule) => ({
      effectiveFrom: always,
      status: 'override' as const,
      source: 'the operator',
      rule,
    }))
    .exactOptional(),
  markupBps: markup.exactOptional(),
})
