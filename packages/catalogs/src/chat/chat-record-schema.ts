import * as z from 'zod'
import {
  count,
  decimal,
  instant,
  isAscending,
  markup,
  modelId,
  positiveDecimal,
  text,
} from '../record/record-fields.ts'
import type { Modality, Reasoning } from './chat-model.ts'
import type { ChatPriceRecord, ChatRecord, PeakText, RateText, TierText } from './chat-record.ts'
import { coversRoutes } from './covers-routes.ts'
import { type ParameterProfile, parameterProfiles } from './parameter-profiles.ts'
import { isProviderName, type ProviderName } from './provider-name.ts'

/** USD per 1,000,000 tokens; a price outside these limits has the wrong unit. */
const minRate = 0.001
const maxRate = { input: 200, output: 1000 } as const

function rateUpTo(max: number): z.ZodType<string> {
  return positiveDecimal.refine(
    (rate) => Number(rate) >= minRate && Number(rate) <= max,
    `must be USD per 1,000,000 tokens from ${minRate} to ${max}`,
  )
}

/** Rates as text; cache rates can be as low as the cheapest provider's. */
export const ratesSchema: z.ZodType<RateText> = z.strictObject({
  input: rateUpTo(maxRate.input),
  output: rateUpTo(maxRate.output),
  cacheRead: positiveDecimal.exactOptional(),
  cacheWrite: positiveDecimal.exactOptional(),
})

export const tiersSchema: z.ZodType<readonly TierText[]> = z
  .array(z.strictObject({ fromInputTokens: count, rates: ratesSchema }))
  .refine(
    (all) =>
      all.every((tier, index) => tier.fromInputTokens > (all[index - 1]?.fromInputTokens ?? 0)),
    'must be in ascending order of fromInputTokens',
  )
  .readonly()

const minute = z.int().min(0).max(1440)
export const peakSchema: z.ZodType<PeakText> = z.strictObject({
  rates: ratesSchema,
  tiers: tiersSchema,
  windows: z
    .array(
      z
        .strictObject({
          days: z.array(z.int().min(0).max(6)).min(1).readonly(),
          fromMinute: minute,
          toMinute: minute,
        })
        .refine(({ fromMinute, toMinute }) => fromMinute < toMinute, {
          path: ['toMinute'],
          message: 'must be after fromMinute: write hours across midnight as two windows',
        }),
    )
    .readonly(),
})

export const chatPriceSchema: z.ZodType<ChatPriceRecord> = z.strictObject({
  effectiveFrom: instant,
  basis: z.enum(['maker', 'listing', 'ceiling', 'refresh', 'override', 'custom']),
  source: text,
  announced: z.literal(true).exactOptional(),
  rates: ratesSchema,
  tiers: tiersSchema,
  peak: peakSchema.exactOptional(),
  perRequest: positiveDecimal.exactOptional(),
  outputAllowanceTokens: count.exactOptional(),
  markupBps: markup.exactOptional(),
})

export const modalitiesSchema: z.ZodType<readonly Modality[]> = z
  .array(z.enum(['text', 'image', 'audio', 'video', 'pdf']))
  .min(1)
  .readonly()

export const reasoningSchema: z.ZodType<Reasoning> = z.enum(['none', 'optional', 'always'])

export const profileSchema: z.ZodType<ParameterProfile> = z.enum(parameterProfiles)

function isProvider(name: unknown): boolean {
  return typeof name === 'string' && isProviderName(name)
}

const routePriceSchema: z.ZodType<RateText> = z.strictObject({
  input: decimal,
  output: decimal,
  cacheRead: decimal.exactOptional(),
  cacheWrite: decimal.exactOptional(),
})

/** The error of a route that costs more than its model. */
export const cheaperThanRoutes: {
  readonly path: string[]
  readonly message: string
  readonly when: (parsed: { readonly issues: readonly unknown[] }) => boolean
} = {
  path: ['routes'],
  message:
    'must not have a price above that of the model: raise price to the highest of its routes',
  // Invalid rates cannot be compared.
  when: ({ issues }) => issues.length === 0,
}

export const routesSchema: z.ZodType<ChatRecord['routes']> = z
  .array(
    z.strictObject({
      provider: z.custom<ProviderName>(isProvider, 'is not the name of a provider'),
      model: text,
      price: routePriceSchema.exactOptional(),
    }),
  )
  .readonly()

/** The schema of a chat model's data. */
export const chatRecordSchema: z.ZodType<ChatRecord> = z
  .strictObject({
    id: modelId,
    name: text,
    description: text,
    maker: text,
    contextLength: count,
    maxOutputTokens: count,
    inputModalities: modalitiesSchema,
    reasoning: reasoningSchema,
    accepts: profileSchema,
    maxTemperature: z.number().positive().max(2).exactOptional(),
    counter: text,
    routes: routesSchema,
    prices: z
      .array(chatPriceSchema)
      .min(1)
      .refine(isAscending, 'must be in ascending order of effectiveFrom')
      .readonly(),
  })
  .refine((record) => record.maxOutputTokens <= record.contextLength, {
    path: ['maxOutputTokens'],
    message: 'must not exceed contextLength',
  })
  .refine(
    ({ prices, routes }) => prices.every(({ rates }) => coversRoutes(rates, routes)),
    cheaperThanRoutes,
  )
