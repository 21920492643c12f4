import type { Usd } from '@farebox/money'

/** One request for images of one model. */
export type ImageCall = {
  readonly model: string
  readonly upstreamModel: string
  readonly prompt: string
  readonly negativePrompt?: string
  readonly width: number
  readonly height: number
  readonly numberOfImages: number
  readonly steps?: number
  readonly seed?: number
  readonly responseFormat: 'url' | 'b64_json'
  readonly pinnedSettings: Readonly<Record<string, string | number | boolean>>
  readonly signal: AbortSignal
}

/** One image of a result. */
export type GeneratedImage = {
  /** A URL: a `data:` URL if the provider returns only bytes. */
  readonly url: string
  readonly b64Json?: string
  readonly seed?: number
}

/** Fewer images than requested are a result; no image at all is an `UpstreamError`. */
export type ImageResult = {
  readonly images: readonly GeneratedImage[]
  /** The provider's price of all images together, if it reports one. */
  readonly reportedCost?: Usd
}

/** A provider of image models. */
export type ImageProvider = {
  readonly name: string
  /** @throws {UpstreamError} when there is no image. */
  generate(call: ImageCall): Promise<ImageResult>
}
