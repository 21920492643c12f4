import {
  defaultImageSide,
  type ImageEstimate,
  type ImageEstimateRequest,
  imageDimensions,
} from '@farebox/api'
import { publicAmount } from '@farebox/money'
import { explainQuote } from '@farebox/pricing'
import type { ImageSale } from '@farebox/storefront'
import { quoteLines } from './quote-lines.ts'

/** The estimate of an image request; `lines` adds those of the quote. */
export function estimateImage(
  sale: ImageSale<ImageEstimateRequest>,
  detail: 'total' | 'lines',
): ImageEstimate {
  const [quote] = sale.quotes
  return {
    model: sale.model.id,
    dimensions: imageDimensions(sale),
    number_of_images: sale.numberOfImages,
    estimatedCost: {
      usd: publicAmount(quote.maximum).usd,
      note: `The maximum for all images, paid up front. They are likely to cost ${publicAmount(quote.likely).usd} USD; whatever they do not cost is refunded to the paying wallet automatically.${sizeNote(sale)}`,
    },
    ...(detail === 'lines' && { explanation: quoteLines(explainQuote(quote)) }),
  }
}

/** A request that leaves out a side gets the nearest size that the model makes. */
function sizeNote({ request, model, width, height }: ImageSale<ImageEstimateRequest>): string {
  const asked = {
    width: request.width ?? defaultImageSide,
    height: request.height ?? defaultImageSide,
  }
  if (asked.width === width && asked.height === height) return ''
  return ` ${model.id} does not make ${imageDimensions(asked)} images: this is the price of ${imageDimensions({ width, height })}.`
}
