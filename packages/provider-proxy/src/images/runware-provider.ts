import { randomUUID } from 'node:crypto'
import type { Usd } from '@farebox/money'
import { add } from '@farebox/money'
import type {
  GeneratedImage,
  ImageCall,
  ImageProvider,
  ImageResult,
} from '../provider/image-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { exactCost } from '../wire/exact-cost.ts'
import { arrayAt, isRecord, type JsonRecord, textAt } from '../wire/json-reading.ts'
import { createJsonCaller, type ImageConnectionOptions } from './image-transport.ts'

export type RunwareOptions = ImageConnectionOptions & {
  readonly name?: string
  /** A version 4 UUID for each task. */
  readonly createTaskId?: () => string
}

/** A provider of images that owns connections. */
export type ConnectedImageProvider = ImageProvider & { close(): Promise<void> }

/**
 * Runware's task API (https://runware.ai/docs): an array of tasks goes out, an array of images comes
 * back, errors beside them. Whether a task id makes a repetition harmless is not documented, so that
 * no written request is repeated.
 */
export function createRunwareProvider(options: RunwareOptions): ConnectedImageProvider {
  const name = options.name ?? 'runware'
  const caller = createJsonCaller(name, options.baseUrl ?? 'https://api.runware.ai/v1', options)
  const createTaskId = options.createTaskId ?? randomUUID
  return {
    name,
    async generate(call) {
      const body = [imageTask(call, createTaskId())]
      return readResult(await caller.call({ path: '', body, signal: call.signal }), call, name)
    },
    close: () => caller.close(),
  }
}

function imageTask(call: ImageCall, taskUUID: string): object {
  return {
    taskType: 'imageInference',
    taskUUID,
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

function readResult(answer: unknown, call: ImageCall, provider: string): ImageResult {
  const items = isRecord(answer) ? arrayAt(answer, 'data').filter(isRecord) : []
  const images = items.flatMap(readImage).slice(0, call.numberOfImages)
  if (images.length === 0) throw noImage(answer, provider)
  const reportedCost = sumOfCosts(items)
  return { images, ...(reportedCost !== undefined && { reportedCost }) }
}

function readImage(item: JsonRecord): readonly GeneratedImage[] {
  const b64Json = textAt(item, 'imageBase64Data')
  const url = textAt(item, 'imageURL') ?? textAt(item, 'imageDataURI')
  const { seed, NSFWContent: nsfw } = item
  if (url === undefined && b64Json === undefined) return []
  return [
    {
      url: url ?? `data:image/png;base64,${b64Json ?? ''}`,
      ...(b64Json !== undefined && { b64Json }),
      ...(typeof seed === 'number' && { seed }),
      ...(typeof nsfw === 'boolean' && { nsfw }),
    },
  ]
}

/** Undefined when any image comes without a cost: a part of a sum is no sum. */
function sumOfCosts(items: readonly JsonRecord[]): Usd | undefined {
  const costs = items.map(({ cost }) => exactCost(cost)).filter((cost) => cost !== null)
  const [first, ...rest] = costs
  if (first === undefined || costs.length < items.length) return undefined
  return add(first, ...rest)
}

/** Errors come in a 200 as well; only some of them are about the request. */
function noImage(answer: unknown, provider: string): UpstreamError {
  const errors = isRecord(answer) ? arrayAt(answer, 'errors').filter(isRecord) : []
  const words = errors.map(
    (error) => `${textAt(error, 'code') ?? ''} ${textAt(error, 'type') ?? ''}`,
  )
  const isRefusal = words.some((word) => /invalid|unsupported|moderation|nsfw|content/i.test(word))
  return isRefusal
    ? new UpstreamError(`${provider} refused the request`, { code: 'upstream_rejected', provider })
    : new UpstreamError(`${provider} sent no image`, { code: 'upstream_unavailable', provider })
}
