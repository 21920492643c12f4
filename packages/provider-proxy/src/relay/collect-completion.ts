import type { ChatChunk, ChatCompletion, ChatUsage } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import type { ChatStream, Timings } from '../provider/chat-provider.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { isSeal } from '../reasoning/reasoning-detail.ts'
import { shownChunk } from '../reasoning/shown-chunk.ts'
import { createCompletionBody } from './completion-body.ts'
import { createDeliveredCounter, type Delivered, isNothing } from './delivered.ts'
import { lengthFinishReasons } from './length-finish-reasons.ts'

/** The limits of a response that is collected. */
export type CollectOptions = {
  /** The most text that a response may have, in UTF-8 bytes; half of that for all else. */
  readonly maxBytes?: number
  /** Called after each chunk. Returns whether the response has used up what was paid. */
  readonly overBudget?: (delivered: Delivered) => boolean
}

/** A complete response. */
export type CollectOutcome = {
  readonly delivered: Delivered
  /** The provider's counts; null when it sent none. */
  readonly usage: Usage | null
  /** Without `usage`: what the provider had counted when its response ended. */
  readonly usageSoFar: Usage | null
  readonly timings: Timings
  /** `time`: the response was still arriving when the time for a call was over. */
  readonly stoppedBy: 'provider' | 'budget' | 'time'
  /** The response body for a request without `stream`. */
  completion(usage: ChatUsage | null): ChatCompletion
}

const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Reads a response to its end. The client has received nothing yet, so an incomplete response is an
 * error, however much of it has arrived. One that uses up what was paid, the time for a call, or the
 * room for what is not text ends with the finish reason `length`: the provider bills it.
 *
 * @throws {UpstreamError} when the response is not complete.
 */
export async function collectCompletion(
  stream: ChatStream,
  options: CollectOptions = {},
): Promise<CollectOutcome> {
  const { maxBytes = defaultMaxBytes } = options
  const counter = createDeliveredCounter(maxBytes)
  let extra = 0
  const body = createCompletionBody(stream)
  const stopped = (stoppedBy: 'budget' | 'time'): CollectOutcome => {
    const { delivered } = counter
    const completion = body.finished(lengthFinishReasons(delivered))
    const usageSoFar = stream.usageSoFar?.() ?? null
    return { delivered, usage: null, usageSoFar, timings: {}, stoppedBy, completion }
  }
  try {
    for await (const event of stream.events) {
      if (event.type === 'finished') {
        const { finishReasons, usage, timings } = event
        return {
          delivered: counter.delivered,
          usage,
          usageSoFar: stream.usageSoFar?.() ?? null,
          timings,
          stoppedBy: 'provider',
          completion: body.finished(finishReasons),
        }
      }
      counter.add(event.chunk)
      const shown = shownChunk(stream, event.chunk)
      if (shown !== undefined) body.add(shown)
      const { delivered } = counter
      if (delivered.bytesNotKept > 0) throw incomplete('is longer than a response may be')
      if (event.chunk.choices.some(hasExtra)) extra += event.weight ?? 0
      if (extra > maxBytes / 2 || options.overBudget?.(delivered) === true) return stopped('budget')
    }
  } catch (error) {
    const isOver = error instanceof UpstreamError && error.code === 'upstream_overtime'
    if (isOver && !isNothing(counter.delivered)) return stopped('time')
    throw error
  }
  throw incomplete('ended early')
}

function hasExtra({ delta, logprobs }: ChatChunk['choices'][number]): boolean {
  const { images, annotations, reasoning_details: details = [] } = delta
  return Boolean(logprobs ?? images ?? annotations) || details.some(isSeal)
}

function incomplete(text: string): UpstreamError {
  return new UpstreamError(`The response ${text}`, { code: 'upstream_truncated', provider: '' })
}
