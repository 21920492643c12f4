import * as z from 'zod'
import type { ChatPriceRecord, ChatRecord, RateText } from './chat-record.ts'
import { parameterProfiles } from './parameter-profiles.ts'
import { count, instant, modelId, positiveDecimal, text } from './record-fields.ts'

/** USD per 1,000,000 tokens; a price that does not lie between these is a slip of units. */
const leastRate = 0.001
const mostRate = { input: 200, output: 1000 } as const

function rateUpTo(most: number): z.ZodType<string> {
  return positiveDecimal.refine(
    (rate) => Number(rate) >= leastRate && Number(rate) <= most,
    `must be USD per 1,000,000 tokens from ${leastRate} to ${most}`,
  )
}

/** Rates as text; cache rates may be as low as the cheapest provider's. */
export const ratesSchema: z.ZodType<RateText> = z.strictObject({
  input: rateUpTo(mostRate.input),
  output: rateUpTo(mostRate.output),
  cacheRead: positiveDecimal.exactOptional(),
  cacheWrite: positiveDecimal.exactOptional(),
})

const tiers = z
  .array(z.strictObject({ fromInputTokens: count, rates: ratesSchema }))
  .refine(
    (all) =>
      all.every((tier, index) => tier.fromInputTokens > (all[index - 1]?.fromInputTokens ?? 0)),
    'must be in ascending order of fromInputTokens',
  )
  .readonly()

const minute = z.int().min(0).max(1440)
const peak = z.strictObject({
  rates: ratesSchema,
  tiers,
  windows: z
    .array(
      z.strictObject({
        days: z.array(z.int().min(0).max(6)).min(1).readonly(),
        fromMinute: minute,
        toMinute: minute,
      }),
    )
    .readonly(),
})

const priceFields = {
  rates: ratesSchema,
  tiers,
  peak: peak.exactOptional(),
  perRequest: positiveDecimal.exactOptional(),
  outputAllowanceTokens: count.exactOptional(),
}

export const chatPriceSchema: z.ZodType<ChatPriceRecord> = z.strictObject({
  effectiveFrom: instant,
  basis: z.enum(['maker', 'listing', 'ceiling', 'refresh', 'override', 'custom']),
  source: text,
  ...priceFields,
})

export const chatLimitFields = {
  name: text,
  description: text,
  maker: text,
  contextLength: count,
  maxOutputTokens: count,
  inputModalities: z
    .array(z.enum(['text', 'image', 'audio', 'video', 'pdf']))
    .min(1)
    .readonly(),
  reasoning: z.enum(['none', 'optional', 'always']),
  accepts: z.enum(parameterProfiles),
  maxTemperature: z.number().positive().max(2).exactOptional(),
  counter: text,
  routes: z
    .array(
      z.strictObject({
        provider: z.enum([
          'openrouter',
          'openai',
          'anthropic',
          'gemini',
          'xai',
          'deepseek',
          'mistral',
          'groq',
          'together',
          'fireworks',
          'cerebras',
          'moonshot',
          'custom',
          'sandbox',
        ]),
        model: text,
      }),
    )
    .readonly(),
} as const

/** Everything that a chat model's data must be. */
export const chatRecordSchema: z.ZodType<ChatRecord> = z
  .strictObject({
    id: modelId,
    ...chatLimitFields,
    prices: z.array(chatPriceSchema).min(1).readonly(),
  })
  .refine((record) => record.maxOutputTokens <= record.contextLength, {
    path: ['maxOutputTokens'],
    message: 'must not exceed contextLength',
  })
