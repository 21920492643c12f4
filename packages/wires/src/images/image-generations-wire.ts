import { type ImageRequest, type ImageResultBody, type Problem, parseWith } from '@farebox/api'
import { nameField } from '../wire/field-names.ts'
import { withoutAbsent } from '../wire/without-absent.ts'
import {
  type ImageGenerationRequest,
  imageGenerationRequestSchema,
  isGptImage,
} from './image-generation-request.ts'

/** The same request to this service, or the field that it cannot honor and the fix. */
export type TranslatedImages =
  | {
      readonly status: 'translated'
      /** The body of the same request to `POST /v1/images/generate`, not validated yet. */
      readonly images: Readonly<Record<string, unknown>>
      /** The caller's name for a field of `images`. */
      fieldName(field: string): string
    }
  | { readonly status: 'refused'; readonly problem: Problem }

const origins = new Map([
  ['width', 'size'],
  ['height', 'size'],
  ['numberResults', 'n'],
])

/** Translates the body of `POST /v1/images/generations`. */
export function readImageGeneration(body: unknown): TranslatedImages {
  const parsed = parseWith(imageGenerationRequestSchema, body)
  if (parsed.status === 'invalid') return { status: 'refused', problem: parsed.problem }
  return {
    status: 'translated',
    images: imagesBody(parsed.value),
    fieldName: (field) => nameField(origins, field),
  }
}

function imagesBody(request: ImageGenerationRequest): Readonly<Record<string, unknown>> {
  const { prompt, model, n, size, response_format } = request
  const [width, height] = size && size !== 'auto' ? size.split('x').map(Number) : []
  // OpenAI gives the images of these models as bytes, and its clients expect them.
  const format = response_format ?? (isGptImage(model) ? 'b64_json' : undefined)
  const fields = { prompt, model, numberResults: n, width, height, response_format: format }
  return withoutAbsent(fields)
}

/**
 * The images as OpenAI's clients read them; `created` in seconds since 1970. With the format `url` each
 * image has one: a `data:` URL where the provider sent bytes.
 */
export function imageGenerationBody(
  result: ImageResultBody,
  created: number,
  format?: ImageRequest['response_format'],
): object {
  return {
    created,
    data: result.images.map(({ url, b64_json }) =>
      b64_json === undefined || format === 'url' ? { url } : { b64_json },
    ),
  }
}
