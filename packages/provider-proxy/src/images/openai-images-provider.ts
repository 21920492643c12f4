import type { GeneratedImage, ImageCall, ImageResult } from '../provider/image-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { addressAt, arrayAt, isRecord, type JsonRecord, textAt } from '../wire/json-reading.ts'
import {
  type ConnectedImageProvider,
  createJsonCaller,
  type ImageConnectionOptions,
} from './image-transport.ts'

/** The key and the address of OpenAI's API. */
export type OpenAiImagesOptions = ImageConnectionOptions & { readonly name?: string }

/**
 * OpenAI's `POST /images/generations` (https://platform.openai.com/docs/api-reference/images). Its
 * GPT image models return bytes only, so the URL of an image is a `data:` URL.
 */
export function createOpenAiImagesProvider(options: OpenAiImagesOptions): ConnectedImageProvider {
  const name = options.name ?? 'openai'
  const caller = createJsonCaller(name, options.baseUrl ?? 'https://api.openai.com/v1', options)
  return {
    name,
    async generate(call) {
      const path = '/images/generations'
      const response = await caller.call({ path, body: requestBody(call), signal: call.signal })
      return readResult(response, call, name)
    },
    close: () => caller.close(),
  }
}

/** Pinned settings come first, so that they never override what was paid for. */
function requestBody(call: ImageCall): object {
  return {
    ...call.pinnedSettings,
    model: call.upstreamModel,
    prompt: call.prompt,
    n: call.numberOfImages,
    size: `${call.width}x${call.height}`,
  }
}

function readResult(response: unknown, call: ImageCall, provider: string): ImageResult {
  const items = isRecord(response) ? arrayAt(response, 'data').filter(isRecord) : []
  const format = isRecord(response) ? (textAt(response, 'output_format') ?? 'png') : 'png'
  const images = items
    .flatMap((item) => readImage(item, format) ?? [])
    .slice(0, call.numberOfImages)
  if (images.length > 0) return { images }
  throw new UpstreamError(`${provider} sent no image`, { code: 'upstream_unavailable', provider })
}

function readImage(item: JsonRecord, format: string): GeneratedImage | undefined {
  const b64Json = textAt(item, 'b64_json')
  const url = addressAt(item, 'url', 'image')
  const type = /^(png|jpeg|webp)$/.test(format) ? format : 'png'
  if (url === undefined && b64Json === undefined) return undefined
  return {
    url: url ?? `data:image/${type};base64,${b64Json ?? ''}`,
    ...(b64Json !== undefined && { b64Json }),
  }
}
