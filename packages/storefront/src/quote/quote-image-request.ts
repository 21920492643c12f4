import {
  defaultImageSide,
  type ImageErrorName,
  type ImageEstimateRequest,
  type ImageRequest,
  imageEstimateRequestSchema,
  imageRequestSchema,
  type Parsed,
  parseWith,
} from '@farebox/api'
import { allowsSize, describeSizes, type ImageModel, legalSizes } from '@farebox/catalogs'
import { type ImageQuote, quoteImage } from '@farebox/pricing'
import { findSoldImageModels } from './find-sold-models.ts'
import { modelNameProblem } from './model-name-problem.ts'
import type { Storefront } from './storefront.ts'

/** Why images cannot be bought, with the error names of the specification. */
export type ImageRejection = {
  readonly error: ImageErrorName
  readonly message: string
  readonly details: { readonly param: string | null }
}

/** An image request that can be bought, with its price. */
export type ImageSale<Request> = {
  readonly request: Request
  readonly model: ImageModel
  readonly width: number
  readonly height: number
  readonly numberOfImages: number
  /** Present for models that take steps. */
  readonly steps?: number
  readonly quotes: readonly [ImageQuote, ...ImageQuote[]]
}

export type QuotedImage<Request> =
  | { readonly status: 'quoted'; readonly sale: ImageSale<Request> }
  | { readonly status: 'rejected'; readonly rejection: ImageRejection }

/** Validates and prices the body of an image generation. */
export function quoteImageRequest(
  body: unknown,
  storefront: Storefront,
): QuotedImage<ImageRequest> {
  return quoteParsed(parseWith(imageRequestSchema, body), storefront)
}

/** Validates and prices the body of an estimate by the same rules. The prompt is optional. */
export function quoteImageEstimate(
  body: unknown,
  storefront: Storefront,
): QuotedImage<ImageEstimateRequest> {
  return quoteParsed(parseWith(imageEstimateRequestSchema, body), storefront)
}

function quoteParsed<Request extends ImageEstimateRequest>(
  parsed: Parsed<Request>,
  storefront: Storefront,
): QuotedImage<Request> {
  if (parsed.status === 'invalid') {
    const { param, message } = parsed.problem
    return reject(errorOf(param), param, message)
  }
  const request = parsed.value
  const name = request.model ?? storefront.defaultImageModel
  const found = findSoldImageModels(name, storefront)
  const [model] = found
  if (model === undefined || found.length > 1) {
    const problem = modelNameProblem(
      `The model ${JSON.stringify(name)}`,
      found,
      '/v1/images/models',
    )
    return reject('INVALID_MODEL', 'model', problem)
  }
  const [width, height] = sizeOf(request, model)
  const sizeProblem = checkSize(width, height, model)
  if (sizeProblem !== undefined) return reject('INVALID_DIMENSIONS', 'width', sizeProblem)
  const stepsProblem = checkSteps(request.steps, model)
  if (stepsProblem !== undefined) return reject('INVALID_REQUEST', 'steps', stepsProblem)
  const tooLong = checkTexts(request, model)
  if (tooLong !== undefined) return reject('INVALID_REQUEST', ...tooLong)
  const unsupported = storefront.unsupportedImageField?.(model, request)
  if (unsupported !== undefined) {
    const message = `${unsupported} is not supported with ${model.id}. Remove it.`
    return reject('INVALID_REQUEST', unsupported, message)
  }
  return quoteAtEachPrice({ request, model, width, height }, storefront)
}

function errorOf(param: string | null): ImageErrorName {
  if (param === 'width' || param === 'height') return 'INVALID_DIMENSIONS'
  return param === 'model' ? 'INVALID_MODEL' : 'INVALID_REQUEST'
}

type Size = readonly [width: number, height: number]

/** The requested size. A missing side is 1024, or the nearest that the model makes. */
function sizeOf({ width, height }: ImageEstimateRequest, { sizes }: ImageModel): Size {
  const requested: Size = [width ?? defaultImageSide, height ?? defaultImageSide]
  const isNamed = width !== undefined && height !== undefined
  if (isNamed || allowsSize(sizes, ...requested)) return requested
  const [nearest] = legalSizes(sizes)
    .filter(([w, h]) => w === (width ?? w) && h === (height ?? h))
    .toSorted((a, b) => distance(a) - distance(b))
  return nearest ?? requested
}

function distance([width, height]: Size): number {
  return Math.abs(width - defaultImageSide) + Math.abs(height - defaultImageSide)
}

function checkSize(width: number, height: number, { id, sizes }: ImageModel): string | undefined {
  if (allowsSize(sizes, width, height)) return undefined
  return `${id} does not make ${width}x${height}. It makes ${describeSizes(sizes)}.`
}

function checkSteps(steps: number | undefined, model: ImageModel): string | undefined {
  if (steps === undefined) return undefined
  const bounds = model.steps
  if (bounds === undefined) return `steps is not supported with ${model.id}. Remove it.`
  if (steps >= bounds.min && steps <= bounds.max) return undefined
  return `steps must be ${bounds.min} to ${bounds.max} for ${model.id}, not ${steps}.`
}

/** A price covers texts up to a length: both together if the provider bills their tokens. */
function checkTexts(
  { prompt = '', negativePrompt = '' }: ImageEstimateRequest,
  { id, maxPromptLength, price }: ImageModel,
): readonly [param: string, message: string] | undefined {
  const isBilled = price.besidesPerImage !== undefined
  const rest = isBilled ? maxPromptLength - prompt.length : maxPromptLength
  if (prompt.length > maxPromptLength) return tooLong('prompt', prompt.length, maxPromptLength)
  if (negativePrompt.length > rest) return tooLong('negativePrompt', negativePrompt.length, rest)
  return undefined

  function tooLong(param: string, length: number, most: number): readonly [string, string] {
    return [
      param,
      `${param} has ${length} characters, and ${id} accepts at most ${most}. Shorten it.`,
    ]
  }
}

function quoteAtEachPrice<Request extends ImageEstimateRequest>(
  priced: {
    readonly request: Request
    readonly model: ImageModel
    readonly width: number
    readonly height: number
  },
  { catalog, terms, now, quoteLifetimeMs }: Storefront,
): QuotedImage<Request> {
  const { request, model, width, height } = priced
  const numberOfImages = request.numberResults ?? 1
  const steps = request.steps ?? model.steps?.default
  const size = { width, height, numberOfImages, ...(steps === undefined ? {} : { steps }) }
  const quoteAt = (price: ImageModel['price']): ImageQuote =>
    quoteImage({ model: model.id, price, terms, ...size })
  const earlier = catalog()
    .recentImagePrices(model.id, now() - quoteLifetimeMs)
    .filter((price) => price.version !== model.price.version)
  const quotes = [quoteAt(model.price), ...earlier.map(quoteAt)] as const
  return { status: 'quoted', sale: { request, model, ...size, quotes } }
}

function reject(error: ImageErrorName, param: string | null, message: string): QuotedImage<never> {
  return { status: 'rejected', rejection: { error, message, details: { param } } }
}
