import {
  type ErrorCode,
  type ImageRequest,
  type ImageResultBody,
  imageErrorSchema,
  imageResultSchema,
} from '@farebox/api'
import { bodyErrorResponse, type ErrorResponse, errorResponse } from '@farebox/http'
import type { ImageSale } from '@farebox/storefront'
import { imageGenerationBody, readImageGeneration, withCallerNames } from '@farebox/wires'
import { chatError } from '../chat/chat-error.ts'
import type { Ending } from '../paid/ending.ts'
import type { PaidEndpoint } from '../paid/paid-endpoint.ts'
import { requestDigest } from '../paid/quote/request-digest.ts'

const path = '/v1/images/generations'

/** `POST /v1/images/generations`: image generation in the shape of OpenAI's clients. */
export function imageGenerations<Sale extends ImageSale<ImageRequest>, Delivery>(
  images: PaidEndpoint<Sale, Delivery>,
  now: () => number,
): PaidEndpoint<Sale, Delivery> {
  return {
    ...images,
    path,
    quote: async (body, signal) => {
      if (body.status !== 'json' && body.status !== 'absent') {
        return { status: 'refused', error: bodyErrorResponse(body) }
      }
      const value = body.status === 'json' ? body.value : { prompt: 'A fare box' }
      const read = readImageGeneration(value)
      if (read.status === 'refused') {
        return { status: 'refused', error: errorResponse(400, read.problem) }
      }
      const priced = await images.quote({ status: 'json', value: read.images }, signal)
      if (priced.status === 'refused') {
        return { status: 'refused', error: asChatError(priced.error, read.fieldName) }
      }
      return {
        ...priced,
        digest: await requestDigest(path, { images: priced.digest, body: value }),
      }
    },
    bill: async (sale, delivery) => {
      const bill = await images.bill(sale, delivery)
      const format = sale.request.response_format
      const bodyOf = (result: ImageResultBody): object =>
        imageGenerationBody(result, Math.floor(now() / 1000), format)
      return { ...bill, ending: asImageGeneration(bill.ending, bodyOf) }
    },
    errorResponse: chatError,
  }
}

function asImageGeneration(ending: Ending, bodyOf: (result: ImageResultBody) => object): Ending {
  if (ending.type !== 'json') return ending
  const result = imageResultSchema.safeParse(JSON.parse(ending.body))
  if (!result.success) return ending
  return { ...ending, body: JSON.stringify(bodyOf(result.data)) }
}

/** An error of the image endpoint, with the caller's name of the field. */
function asChatError(
  { status, headers, body }: ErrorResponse,
  fieldName: (field: string) => string,
): ErrorResponse {
  const { error, message, details = {} } = imageErrorSchema.parse(body)
  const param = typeof details['param'] === 'string' ? details['param'] : null
  const code: ErrorCode = error === 'INVALID_MODEL' ? 'model_not_found' : 'invalid_field'
  return errorResponse(status, withCallerNames({ code, message, param }, fieldName), headers)
}
