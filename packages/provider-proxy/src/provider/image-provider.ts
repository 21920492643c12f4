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

export type GeneratedImage = {
  /** An address, or a `data:` URL where the provider gives only bytes. */
  readonly url: string
  readonly b64Json?: string
  readonly seed?: number
  readonly nsfw?: boolean
}

/** What came: fewer images than asked for is an outcome, none at all is an `UpstreamError`. */
export type ImageResult = {
  readonly images: readonly GeneratedImage[]
  /** What the provider says that all images together cost it. */
  readonly reportedCost?: Usd
}

/** A provider of image models. */
export type ImageProvider = {
  readonly name: string
  /** @throws {UpstreamError} when no image came. */
  generate(call: ImageCall): Promise<ImageResult>
}
