import { chatRequestSchema } from '@farebox/api'
import { picodollars } from '@farebox/money'
import type { ChatCall, ImageCall } from '../../src/index.ts'

type CallOptions = {
  readonly request?: object
  readonly signal?: AbortSignal
  readonly upstreamModel?: string
  readonly temperature?: number
  readonly maxTokens?: number
}

/** A chat call as the gateway makes it: validated, with the cap and the rates that were paid. */
export function chatCall(content: string, options: CallOptions = {}): ChatCall {
  const messages = [{ role: 'user', content }]
  return {
    model: 'maker/model',
    upstreamModel: options.upstreamModel ?? 'upstream-model',
    request: chatRequestSchema.parse({ messages, ...options.request }),
    maxTokens: options.maxTokens ?? 64,
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    maxPrice: { input: picodollars(150_000n), output: picodollars(600_000n) },
    signal: options.signal ?? new AbortController().signal,
  }
}

export function imageCall(options: Partial<ImageCall> = {}): ImageCall {
  return {
    model: 'maker/image',
    upstreamModel: 'runware:100@1',
    prompt: 'a lighthouse',
    width: 128,
    height: 192,
    numberOfImages: 2,
    responseFormat: 'url',
    pinnedSettings: {},
    signal: new AbortController().signal,
    ...options,
  }
}
