import * as z from 'zod'
import {
  count,
  instant,
  isAscending,
  markup,
  modelId,
  positiveDecimal,
  text,
} from '../record/record-fields.ts'
import { coversSizes } from './covers-sizes.ts'
import type { ImageSizes } from './image-model.ts'
import type { ImagePriceRecord, ImageRecord, ImageRuleText } from './image-record.ts'

const edge = z.int().min(128).max(2048).multipleOf(64)
const point = z.tuple([edge, edge, positiveDecimal]).readonly()

export const imageRuleSchema: z.ZodType<ImageRuleText> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('listed'), points: z.array(point).min(1).readonly() }),
  z.strictObject({ kind: z.literal('flat'), perImage: positiveDecimal }),
  z.strictObject({
    kind: z.literal('megapixel'),
    base: positiveDecimal,
    includedPixels: count,
    perExtraMegapixel: positiveDecimal,
  }),
  z.strictObject({
    kind: z.literal('compute'),
    points: z
      .array(point)
      .min(1)
      .refine(
        (points) =>
          points.every(([width, height], index) => {
            const [w, h] = points[index - 1] ?? [0, 0]
            return width * height > w * h
          }),
        'must be in ascending order of pixels',
      )
      .readonly(),
    referenceSteps: count.exactOptional(),
    marginBps: z.int().min(10_000).max(1_000_000),
  }),
])

export const imageSizesSchema: z.ZodType<ImageSizes> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('listed'),
    sizes: z
      .array(z.tuple([edge, edge]).readonly())
      .min(1)
      .readonly(),
  }),
  z
    .strictObject({
      kind: z.literal('free'),
      minWidth: edge,
      minHeight: edge,
      maxWidth: edge.exactOptional(),
      maxHeight: edge.exactOptional(),
    })
    .refine(
      ({ minWidth, minHeight, maxWidth = minWidth, maxHeight = minHeight }) =>
        minWidth <= maxWidth && minHeight <= maxHeight,
      'must have minWidth up to maxWidth, and minHeight up to maxHeight',
    ),
])

const imagePriceSchema: z.ZodType<ImagePriceRecord> = z.strictObject({
  effectiveFrom: instant,
  status: z.enum(['published', 'third-party', 'estimate', 'override']),
  source: text,
  rule: imageRuleSchema,
  besidesPerImage: positiveDecimal.exactOptional(),
  markupBps: markup.exactOptional(),
})

/** The schema of an image model's data. */
export const imageRecordSchema: z.ZodType<ImageRecord> = z
  .strictObject({
    id: modelId,
    name: text,
    description: text,
    architecture: text,
    category: z.enum(['fast', 'realistic', 'anime', 'artistic', 'professional']),
    sizes: imageSizesSchema,
    steps: z
      .strictObject({ min: count, max: count, default: count })
      .refine(
        (steps) => steps.min <= steps.default && steps.default <= steps.max,
        'must have a default from min to max',
      )
      .exactOptional(),
    maxPromptLength: count,
    pinnedSettings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    routes: z
      .array(z.strictObject({ provider: z.enum(['runware', 'openai', 'custom']), model: text }))
      .readonly(),
    prices: z
      .array(imagePriceSchema)
      .min(1)
      .refine(isAscending, 'must be in ascending order of effectiveFrom')
      .readonly(),
  })
  .refine(({ sizes, prices }) => prices.every(({ rule }) => coversSizes(sizes, rule)), {
    path: ['prices'],
    message: 'must have a price for every size of the model',
    when: ({ issues }) => issues.length === 0,
  })
