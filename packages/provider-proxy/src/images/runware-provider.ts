import { randomUUID } from 'node:crypto'
import type { Usd } from '@farebox/money'
import { sum } from '@farebox/money'
import type { GeneratedImage, ImageCall, ImageResult } from '../provider/image-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { classifyFailure, httpFailure } from '../wire/classify-failure.ts'
import { exactCost } from '../wire/exact-cost.ts'
import { addressAt, arrayAt, isRecord, type JsonRecord, textAt } from '../wire/json-reading.ts'
import {
  type ConnectedImageProvider,
  createJsonCaller,
  type ImageConnectionOptions,
} from './image-transport.ts'

/** The key and the address of Runware's API. */
export type RunwareOptions = ImageConnectionOptions & {
  readonly name?: string
}

/**
 * Runware's task API (https://runware.ai/docs): it takes an array of tasks and returns an array of
 * images, together with errors. Whether a task id makes a repetition idempotent is not documented,
 * so a request that was sent is never repeated.
 */
export function createRunwareProvider(options: RunwareOptions): ConnectedImageProvider {
  const name = options.name ?? 'runware'
  const caller = createJsonCaller(name, options.baseUrl ?? 'https://api.runware.ai/v1', options)
  return {
    name,
    async generate(call) {
      const body = [imageTask(call)]
      return readResult(await caller.call({ path: '', body, signal: call.signal }), call, name)
    },
    close: () => caller.close(),
  }
}

function imageTask(call: ImageCall): object {
  return {
    taskType: 'imageInference',
    taskUUID: randomUUID(),
    model: call.upstreamModel,
    positivePrompt: call.prompt,
    ...(call.negativePrompt !== undefined && { negativePrompt: call.negativePrompt }),
    width: call.width,
    height: call.height,
    ...(call.steps !== undefined && { steps: call.steps }),
    ...(call.seed !== undefined && { seed: call.seed }),
    numberResults: call.numberOfImages,
    ...providerSettings(call),
    outputType: call.responseFormat === 'url' ? 'URL' : 'base64Data',
    outputFormat: 'PNG',
    includeCost: true,
    deliveryMethod: 'sync',
  }
}

/** Settings go to the vendor behind the model, whose name is the first part of the model's AIR id. */
function providerSettings({ pinnedSettings, upstreamModel }: ImageCall): object {
  const [vendor = ''] = upstreamModel.split(':')
  if (Object.keys(pinnedSettings).length === 0) return {}
  return { providerSettings: { [vendor]: pinnedSettings } }
}

function readResult(response: unknown, call: ImageCall, provider: string): ImageResult {
  const items = isRecord(response) ? arrayAt(response, 'data').filter(isRecord) : []
  // What did not arrive is not paid for.
  const made = items.flatMap((item) => {
    const image = readImage(item)
    return image === undefined ? [] : [{ image, cost: exactCost(item['cost']) }]
  })
  const images = made.map(({ image }) => image).slice(0, call.numberOfImages)
  if (images.length === 0) throw noImage(response, provider)
  const reportedCost = sumOfCosts(made.map(({ cost }) => cost))
  return { images, ...(reportedCost !== undefined && { reportedCost }) }
}

function readImage(item: JsonRecord): GeneratedImage | undefined {
  const b64Json = textAt(item, 'imageBase64Data')
  const url = addressAt(item, 'imageURL', 'image') ?? addressAt(item, 'imageDataURI', 'image')
  const { seed } = item
  if (url === undefined && b64Json === undefined) return undefined
  return {
    url: url ?? `data:image/png;base64,${b64Json ?? ''}`,
    ...(b64Json !== undefined && { b64Json }),
    ...(typeof seed === 'number' && { seed }),
  }
}

/** Undefined when any image comes without a cost: the others would not add up to the total. */
function sumOfCosts(costs: readonly (Usd | null)[]): Usd | undefined {
  const known = costs.filter((cost) => cost !== null)
  const [first, ...rest] = known
  if (first === undefined || known.length < costs.length) return undefined
  return sum([first, ...rest])
}

/** Errors come in a 200 as well; only some of them are about the request. */
function noImage(response: unknown, provider: string): UpstreamError {
  const errors = isRecord(response) ? arrayAt(response, 'errors').filter(isRecord) : []
  const [first] = errors
  const kind = first && classifyFailure(400, first)
  // The key or the account is at fault, not the request.
  if (kind !== undefined && kind.code !== 'upstream_rejected') {
    return httpFailure(provider, 200, kind)
  }
  const labels = errors.map(
    (error) => `${textAt(error, 'code') ?? ''} ${textAt(error, 'type') ?? ''}`,
  )
  const isRejection = labels.some((label) =>
    /invalid|unsupported|moderation|nsfw|content/i.test(label),
  )
  return isRejection
    ? new UpstreamError(`${provider} rejected the request`, { code: 'upstream_rejected', provider })
    : new UpstreamError(`${provider} sent no image`, { code: 'upstream_unavailable', provider })
}
