import { imageRequestSchema } from '@farebox/api'
import { z } from 'zod'
import { refusedField } from '../wire/refused-field.ts'

/** A field that is accepted only with values that change nothing. */
const neutral = (...values: readonly [string, ...string[]]): z.ZodType =>
  z
    .enum(values, {
      error: `must be ${values.join(' or ')}: images are not made in other ways here`,
    })
    .nullish()

const sizeForm =
  'must be auto or <width>x<height>, such as 1024x1024: each side from 128 to 2048 and divisible by 64'

/** `1024x1024`, or `auto` for the model's own size. */
const size = z
  .string()
  .regex(/^(auto|\d{1,5}x\d{1,5})$/, sizeForm)
  .refine((text) => text === 'auto' || text.split('x').every(isSide), { error: sizeForm })
  .nullish()

function isSide(text: string): boolean {
  return imageRequestSchema.shape.width.safeParse(Number(text)).success
}

/** The body of `POST /v1/images/generations`, as OpenAI's published interface has it. */
export const imageGenerationRequestSchema = z
  .strictObject({
    prompt: z.string(),
    model: z.string().nullish(),
    n: z.number().nullish(),
    size,
    response_format: z.enum(['url', 'b64_json']).nullish(),
    quality: neutral('auto', 'standard', 'high'),
    style: neutral('vivid'),
    background: neutral('auto'),
    moderation: neutral('auto'),
    output_format: neutral('png'),
    output_compression: refusedField('is not supported. Remove it'),
    partial_images: z.literal(0).nullish(),
    stream: z
      .literal(false, { error: 'must be false: images are sent when they are finished' })
      .nullish(),
    user: z.string().nullish(),
  })
  .refine(({ quality, model }) => quality !== 'high' || isGptImage(model), {
    path: ['quality'],
    error: 'must be auto or standard for this model: it makes images in one quality',
  })

/** Models with a choice of quality, of which `high` is sold. */
export function isGptImage(model: string | null | undefined): boolean {
  return /gpt-image/i.test(model ?? '')
}

export type ImageGenerationRequest = z.output<typeof imageGenerationRequestSchema>
