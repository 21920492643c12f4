import type { ImageRequest } from '@farebox/api'
import type { ImageQuote } from '@farebox/pricing'
import { type ImageResult, UpstreamError } from '@farebox/provider-proxy'
import type { ImageSale } from '@farebox/storefront'
import type { Completed } from '../paid/paid-endpoint.ts'
import type { ImageRoute } from '../providers/provider-routes.ts'

export type ImageOrder = {
  readonly sale: ImageSale<ImageRequest>
  /** The quote that was paid. */
  readonly quote: ImageQuote
  readonly route: ImageRoute
}

/** What a provider delivered, before it is billed. */
export type GeneratedImages = { readonly quote: ImageQuote; readonly result: ImageResult }

/**
 * Calls the provider. Images are generated and billed in full even if the client disconnects, so
 * they are kept for it: only `giveUp` ends the call.
 */
export async function callImageProvider(
  { sale, quote, route }: ImageOrder,
  giveUp: AbortSignal,
): Promise<Completed<GeneratedImages>> {
  const { request, model, width, height, numberOfImages, steps } = sale
  const { prompt, negativePrompt, seed, response_format: responseFormat = 'url' } = request
  try {
    const result = await route.provider.generate({
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
      signal: giveUp,
    })
    return { status: 'delivered', delivery: { quote, result } }
  } catch (error) {
    if (error instanceof UpstreamError) return { status: 'failed', error }
    throw error
  }
}
