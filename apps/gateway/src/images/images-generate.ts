import type { ImageRequest, ImageResultBody } from '@farebox/api'
import { type ErrorResponse, imageBodyErrorResponse, imageErrorResponse } from '@farebox/http'
import { formatUsdc, least, type Usdc } from '@farebox/money'
import type { PaymentGate } from '@farebox/payments'
import { type ImageQuote, priceImages } from '@farebox/pricing'
import { type ImageResult, UpstreamError } from '@farebox/provider-proxy'
import {
  type ImageSale,
  type QuotedImage,
  quoteImageRequest,
  type Storefront,
} from '@farebox/storefront'
import type { LossWatch } from '../observe/loss-monitor.ts'
import { amountBody } from '../paid/amount-body.ts'
import { failUpstream } from '../paid/fail-upstream.ts'
import { modelUnavailable } from '../paid/model-unavailable.ts'
import type { PaidEndpoint, Priced, RouteError, Served } from '../paid/paid-endpoint.ts'
import { offersOf, paidQuote, quotedAmounts } from '../paid/quote-offers.ts'
import { type AnswerKeeping, keepAnswer } from '../paid/recorded-answer.ts'
import { requestDigest } from '../paid/request-digest.ts'
import type { ImageRoute, ProviderSet } from '../providers/provider-routes.ts'

export type ImagesGenerateDeps = {
  readonly storefront: Storefront
  readonly providers: ProviderSet
  readonly gate: PaymentGate
  readonly keeping: AnswerKeeping
  readonly lossWatch: LossWatch
}

type Sale = ImageSale<ImageRequest>

const path = '/v1/images/generate'

/** `POST /v1/images/generate`. */
export function imagesGenerate(deps: ImagesGenerateDeps): PaidEndpoint<Sale> {
  const { storefront, providers } = deps
  return {
    path,
    description: 'Images from a text. The maximum is paid up front, the rest refunded.',
    mimeType: 'application/json',
    quote: async (body) => {
      if (body.status === 'absent')
        return price(quoteImageRequest({ prompt: 'A fare box' }, storefront))
      if (body.status !== 'json') {
        return { status: 'refused', answer: imageBodyErrorResponse(body, 'GENERATION_ERROR') }
      }
      return price(quoteImageRequest(body.value, storefront))
    },
    unavailable: ({ model }) => {
      const route = providers.imageRoute(model)
      const open = route?.provider.available(route.upstreamModel) === true
      return open ? undefined : modelUnavailable(model.id)
    },
    serve: async (sale, served) => {
      const route = providers.imageRoute(sale.model)
      if (route === undefined) throw new Error(`no provider serves ${sale.model.id}`)
      await serveImages(
        { sale, quote: paidQuote(sale.quotes, served.payment.priceVersion), route },
        served,
        deps,
      )
    },
    errorAnswer,
  }
}

function errorAnswer({ status, code, message, param, headers = {} }: RouteError): ErrorResponse {
  const name = status === 400 ? 'INVALID_REQUEST' : 'GENERATION_ERROR'
  const details = { code, ...(param === undefined ? {} : { param }) }
  return { ...imageErrorResponse(status, name, { message, details }), headers }
}

function price(quoted: QuotedImage<ImageRequest>): Priced<Sale> {
  if (quoted.status === 'rejected') {
    const { error, ...detail } = quoted.rejection
    return { status: 'refused', answer: imageErrorResponse(400, error, detail) }
  }
  const { sale } = quoted
  const [current] = sale.quotes
  return {
    status: 'priced',
    sale,
    offers: offersOf(sale.quotes),
    digest: requestDigest(path, { ...sale.request, model: sale.model.id }),
    challenge: {
      message: `Payment of at most ${formatUsdc(current.maximum)} USDC required. What the images do not cost is refunded.`,
      quote: {
        model: sale.model.id,
        dimensions: dimensions(sale),
        numberOfImages: sale.numberOfImages,
        ...quotedAmounts(current),
      },
    },
  }
}

type Order = { readonly sale: Sale; readonly quote: ImageQuote; readonly route: ImageRoute }

async function serveImages(order: Order, served: Served, deps: ImagesGenerateDeps): Promise<void> {
  const result = await generate(order, served, deps)
  if (result === undefined) return
  const { payment, response, headers } = served
  const images = result.images.length
  const made = { images, ...(result.reportedCost && { reportedCost: result.reportedCost }) }
  if (result.reportedCost !== undefined) deps.lossWatch(payment, result.reportedCost)
  const cost = least(priceImages(order.quote, made), payment.authorization.value)
  const body = JSON.stringify(resultBody(order.sale, result, cost))
  const contentType = 'application/json; charset=utf-8'
  const answer = keepAnswer({ statusCode: 200, contentType, body }, deps.keeping)
  await deps.gate.complete(payment, { cost, usage: { images, source: 'provider' }, answer })
  response
    .status(200)
    .set(headers)
    .set({ 'Content-Type': contentType, 'Cache-Control': 'private, no-store' })
    .end(body)
}

/** `undefined` when no image came, and everything was refunded. */
async function generate(
  { sale, route }: Order,
  served: Served,
  deps: ImagesGenerateDeps,
): Promise<ImageResult | undefined> {
  const { request, model, width, height, numberOfImages, steps } = sale
  const { prompt, negativePrompt, seed, response_format: responseFormat = 'url' } = request
  try {
    return await route.provider.generate({
      model: model.id,
      upstreamModel: route.upstreamModel,
      prompt,
      ...(negativePrompt !== undefined && { negativePrompt }),
      width,
      height,
      numberOfImages,
      ...(steps !== undefined && { steps }),
      ...(seed !== undefined && { seed }),
      responseFormat,
      pinnedSettings: model.pinnedSettings,
      // Images are drawn whole and billed even when nobody waits any more: they are kept instead.
      signal: served.giveUp,
    })
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    await failUpstream(error, served, { ...deps, errorAnswer })
    return undefined
  }
}

function resultBody(sale: Sale, result: ImageResult, cost: Usdc): ImageResultBody {
  return {
    model: sale.model.id,
    dimensions: dimensions(sale),
    images: result.images.map(({ url, b64Json, seed }) => ({
      url,
      ...(b64Json !== undefined && { b64_json: b64Json }),
      ...(seed !== undefined && { seed }),
    })),
    number_of_images: result.images.length,
    cost: amountBody(cost),
  }
}

function dimensions({ width, height }: Sale): string {
  return `${width}×${height}`
}
