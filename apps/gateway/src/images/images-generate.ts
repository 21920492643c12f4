import { type ImageRequest, imageDimensions } from '@farebox/api'
import { type ErrorResponse, imageBodyErrorResponse, imageErrorResponse } from '@farebox/http'
import {
  type ImageSale,
  type QuotedImage,
  quoteImageRequest,
  type Storefront,
} from '@farebox/storefront'
import { modelUnavailable } from '../paid/model-unavailable.ts'
import type { EndpointError, PaidEndpoint, Priced } from '../paid/paid-endpoint.ts'
import type { Quoting } from '../paid/quote/quoting.ts'
import { requestDigest } from '../paid/quote/request-digest.ts'
import type { ProviderRoutes } from '../providers/provider-routes.ts'
import { billImages } from './bill-images.ts'
import { callImageProvider, type GeneratedImages } from './call-image-provider.ts'

export type ImagesGenerateDeps = {
  readonly storefront: Storefront
  readonly providers: ProviderRoutes
  readonly quoting: Quoting
}

type SoldImages = ImageSale<ImageRequest>

const path = '/v1/images/generate'

/** `POST /v1/images/generate`. */
export function imagesGenerate({
  storefront,
  providers,
  quoting,
}: ImagesGenerateDeps): PaidEndpoint<SoldImages, GeneratedImages> {
  return {
    path,
    description: 'Images from a text. The maximum is paid up front, the rest refunded.',
    mimeType: 'application/json',
    requiredField: 'prompt',
    quote: async (body) => {
      if (body.status === 'absent')
        return price(quoteImageRequest({ prompt: 'A fare box' }, storefront), quoting)
      if (body.status !== 'json') {
        return { status: 'refused', error: imageBodyErrorResponse(body, 'GENERATION_ERROR') }
      }
      return price(quoteImageRequest(body.value, storefront), quoting)
    },
    unavailable: ({ model }) => {
      const route = providers.imageRoute(model)
      const isAvailable = route?.provider.available(route.upstreamModel) === true
      return isAvailable ? undefined : modelUnavailable(model.id)
    },
    complete: async (sale, call) => {
      const route = providers.imageRoute(sale.model)
      if (route === undefined) throw new Error(`no provider serves ${sale.model.id}`)
      const quote = quoting.paidQuote(sale.quotes, call.payment)
      const { observation } = call
      observation.note({ provider: route.provider.name })
      const completed = await callImageProvider({ sale, quote, route }, call.giveUp)
      if (completed.status === 'failed') {
        observation.note({ providerFailure: completed.error.message })
      }
      observation.endPhase('upstream')
      call.response.set(observation.headers())
      return completed
    },
    bill: async (sale, delivery) => billImages(sale, delivery),
    errorResponse,
  }
}

function errorResponse({
  status,
  code,
  message,
  param,
  headers = {},
}: EndpointError): ErrorResponse {
  const name = status === 400 ? 'INVALID_REQUEST' : 'GENERATION_ERROR'
  const details = param === undefined ? {} : { param }
  return { ...imageErrorResponse(status, name, { code, message, details }), headers }
}

async function price(
  quoted: QuotedImage<ImageRequest>,
  quoting: Quoting,
): Promise<Priced<SoldImages>> {
  if (quoted.status === 'rejected') {
    const { error, ...detail } = quoted.rejection
    return { status: 'refused', error: imageErrorResponse(400, error, detail) }
  }
  const { sale } = quoted
  const [current] = sale.quotes
  return {
    status: 'priced',
    sale,
    offers: quoting.offersOf(sale),
    digest: await requestDigest(path, { ...sale.request, model: sale.model.id }),
    challenge: quoting.challengeOf(current, {
      model: sale.model.id,
      dimensions: imageDimensions(sale),
      numberOfImages: sale.numberOfImages,
    }),
  }
}
