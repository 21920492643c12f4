import { type ImageRequest, type ImageResultBody, imageDimensions } from '@farebox/api'
import type { Usdc } from '@farebox/money'
import { costOfImagesByRule, priceImages } from '@farebox/pricing'
import type { ImageResult } from '@farebox/provider-proxy'
import type { ImageSale } from '@farebox/storefront'
import type { Bill } from '../paid/paid-endpoint.ts'
import { amountBody } from '../paid/quote/amount-body.ts'
import type { GeneratedImages } from './call-image-provider.ts'

/** Bills the images that were made: the provider's own cost where it reports one, else the quote. */
export function billImages(
  sale: ImageSale<ImageRequest>,
  { quote, result }: GeneratedImages,
): Bill {
  const { reportedCost } = result
  const images = result.images.length
  const cost = priceImages(quote, { images, ...(reportedCost && { reportedCost }) })
  return {
    model: sale.model.id,
    cost,
    usage: { images, source: 'provider' },
    upstream: reportedCost ?? costOfImagesByRule(quote, images),
    ending: {
      type: 'json',
      statusCode: 200,
      body: JSON.stringify(resultBody(sale, result, cost)),
    },
  }
}

function resultBody(
  sale: ImageSale<ImageRequest>,
  result: ImageResult,
  cost: Usdc,
): ImageResultBody {
  return {
    model: sale.model.id,
    dimensions: imageDimensions(sale),
    images: result.images.map(({ url, b64Json, seed }) => ({
      url,
      ...(b64Json !== undefined && { b64_json: b64Json }),
      ...(seed !== undefined && { seed }),
    })),
    number_of_images: result.images.length,
    cost: amountBody(cost),
  }
}
