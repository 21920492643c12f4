import type { ImageEstimate, ImageEstimateRequest } from '@farebox/api'
import { formatUsdc } from '@farebox/money'
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
    dimensions: `${sale.width}×${sale.height}`,
    number_of_images: sale.numberOfImages,
    estimatedCost: {
      usd: formatUsdc(quote.maximum),
      note: 'The maximum for all images, paid up front. Whatever they do not cost is refunded to the paying wallet automatically.',
    },
    ...(detail === 'lines' && { explanation: quoteLines(explainQuote(quote)) }),
  }
}
