import type { ChatChunk, FinishReason } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import { unusableCall } from '../provider/unusable-call.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { type ReasoningDetail, reasoningFormats } from '../reasoning/reasoning-detail.ts'
import { canonicalUsage } from '../wire/canonical-usage.ts'
import type { ChunkFrame, WireReader } from '../wire/chat-wire.ts'
import { errorInside } from '../wire/classify-failure.ts'
import { generatedCallId } from '../wire/generated-call-id.ts'
import { readJsonEvent, readLateEvent } from '../wire/json-event.ts'
import { isRecord, type JsonRecord, recordAt, textAt } from '../wire/json-reading.ts'
import { makeChunk } from '../wire/make-chunk.ts'
import { countAt } from '../wire/token-count.ts'
import { placeId } from './thought-place.ts'

type Delta = ChatChunk['choices'][number]['delta']
type Emit = (chunk: ChatChunk) => void

type Call = { readonly position: number; hasArguments: boolean }

type Thought = {
  readonly position: number
  readonly id: string | undefined
  signature: string | undefined
}

type Progress = {
  readonly frame: ChunkFrame
  /** Tool calls by the index of their block. */
  readonly calls: Map<number, Call>
  /** Thoughts by the index of their block. */
  readonly thoughts: Map<number, Thought>
  readonly counts: Map<string, number>
  /** The length of the text so far. */
  characters: number
  isStarted: boolean
  hasBlocks: boolean
  stopReason: string | null
  stopSequence: string | undefined
  outputKnown: boolean
}

/** Reads the events of a Messages stream (https://docs.anthropic.com/en/api/messages-streaming). */
export function createAnthropicReader(frame: ChunkFrame): WireReader {
  const progress: Progress = {
    frame,
    calls: new Map(),
    thoughts: new Map(),
    counts: new Map(),
    characters: 0,
    isStarted: false,
    hasBlocks: false,
    stopReason: null,
    stopSequence: undefined,
    outputKnown: false,
  }
  return {
    read({ data }, emit) {
      const isComplete = progress.stopReason !== null
      const event = isComplete ? readLateEvent(data) : readJsonEvent(data, frame.provider)
      return readEvent(event, progress, emit)
    },
    end() {
      const { stopReason, stopSequence } = progress
      if (stopReason === null) return null
      const reason = finishReason(stopReason)
      const end = { index: 0, reason, ...(stopSequence !== undefined && { stopSequence }) }
      return { finishReasons: [end], usage: progress.outputKnown ? countsOf(progress) : null }
    },
    usageSoFar: () => countsOf(progress),
  }
}

function readEvent(
  event: JsonRecord,
  progress: Progress,
  emit: Emit,
): ReturnType<WireReader['read']> {
  switch (event['type']) {
    case 'message_start':
      startMessage(progress, emit)
      noteUsage(recordAt(event, 'message')?.['usage'], progress)
      return 'more'
    case 'content_block_start':
      startBlock(event, progress, emit)
      return 'more'
    case 'content_block_delta':
      readDelta(event, progress, emit)
      return 'more'
    case 'content_block_stop':
      stopBlock(event, progress, emit)
      return 'more'
    case 'message_delta':
      return readMessageDelta(event, progress)
    case 'message_stop':
      return 'done'
    case 'error':
      if (progress.stopReason !== null) return 'more'
      throw errorInside(progress.frame.provider, event['error'])
    default:
      // `ping`, and events added later.
      return 'more'
  }
}

/**
 * Some proxies repeat the first event. After a block, the client already has the first message, whose
 * last call may be cut off.
 */
function startMessage(progress: Progress, emit: Emit): void {
  const { frame, isStarted, hasBlocks } = progress
  if (hasBlocks) {
    const { provider } = frame
    throw new UpstreamError(`${provider} started a second message in one response`, {
      code: 'upstream_truncated',
      provider,
    })
  }
  if (!isStarted) emit(makeChunk(frame, { role: 'assistant' }))
  progress.isStarted = true
}

/** Blocks of tools that run at Anthropic's are not calls for the client. */
function startBlock(event: JsonRecord, progress: Progress, emit: Emit): void {
  progress.hasBlocks = true
  const block = recordAt(event, 'content_block')
  const index = countAt(event, 'index') ?? 0
  const delta = startOf(block, index, progress)
  if (delta !== undefined) emit(makeChunk(progress.frame, delta))
}

function startOf(
  block: JsonRecord | undefined,
  index: number,
  progress: Progress,
): Delta | undefined {
  switch (block?.['type']) {
    case 'tool_use':
      return startCall(block, index, progress)
    case 'thinking':
    case 'redacted_thinking':
      return startThought(block, index, progress)
    default:
      return undefined
  }
}

function startThought(
  block: JsonRecord,
  index: number,
  { thoughts, calls, characters }: Progress,
): Delta | undefined {
  const id = placeId({ characters, calls: calls.size })
  const thought = { position: thoughts.size, id, signature: textAt(block, 'signature') }
  thoughts.set(index, thought)
  const data = textAt(block, 'data')
  return data === undefined ? undefined : { reasoning_details: [detailOf(thought, { data })] }
}

/** The next turn needs thoughts with their signatures, and encrypted thoughts. */
function detailOf(
  { position, id }: Thought,
  content: { readonly [key in 'text' | 'data' | 'signature']?: string },
): ReasoningDetail {
  return {
    type: content.data === undefined ? 'reasoning.text' : 'reasoning.encrypted',
    format: reasoningFormats.anthropic,
    ...(id !== undefined && { id }),
    index: position,
    ...content,
  }
}

function startCall(block: JsonRecord, index: number, { calls, frame }: Progress): Delta {
  const position = calls.size
  const name = textAt(block, 'name')
  if (name === undefined) throw unusableCall(frame.provider, 'without a name')
  const input = recordAt(block, 'input') ?? {}
  const hasArguments = Object.keys(input).length > 0
  calls.set(index, { position, hasArguments })
  const id = textAt(block, 'id') ?? generatedCallId(frame, 0, position)
  const call = { name, arguments: hasArguments ? JSON.stringify(input) : '' }
  return { tool_calls: [{ index: position, id, type: 'function', function: call }] }
}

function readDelta(event: JsonRecord, progress: Progress, emit: Emit): void {
  const { calls, thoughts, frame } = progress
  const delta = recordAt(event, 'delta')
  if (delta === undefined) return
  const index = countAt(event, 'index') ?? 0
  const content = textAt(delta, 'text')
  const text = textAt(delta, 'thinking')
  const json = textAt(delta, 'partial_json')
  const thought = thoughts.get(index)
  if (content !== undefined) {
    progress.characters += content.length
    emit(makeChunk(frame, { content }))
  }
  if (text !== undefined) {
    const details = thought && { reasoning_details: [detailOf(thought, { text })] }
    emit(makeChunk(frame, { reasoning: text, ...details }))
  }
  if (thought !== undefined) thought.signature = textAt(delta, 'signature') ?? thought.signature
  const call = calls.get(index)
  if (json === undefined || call === undefined) return
  call.hasArguments = true
  emit(makeChunk(frame, argumentsOf(call, json)))
}

/** A call without arguments still needs a JSON object: clients parse them. */
function stopBlock(event: JsonRecord, { calls, thoughts, frame }: Progress, emit: Emit): void {
  const index = countAt(event, 'index') ?? 0
  const thought = thoughts.get(index)
  const { signature } = thought ?? {}
  if (thought !== undefined && signature !== undefined) {
    emit(makeChunk(frame, { reasoning_details: [detailOf(thought, { signature })] }))
  }
  const call = calls.get(index)
  if (call === undefined || call.hasArguments) return
  call.hasArguments = true
  emit(makeChunk(frame, argumentsOf(call, '{}')))
}

function argumentsOf({ position }: Call, json: string): Delta {
  return { tool_calls: [{ index: position, function: { arguments: json } }] }
}

function readMessageDelta(event: JsonRecord, progress: Progress): 'more' | 'tail' {
  const usage = event['usage']
  noteUsage(usage, progress)
  progress.outputKnown ||= isRecord(usage) && countAt(usage, 'output_tokens') !== undefined
  const delta = recordAt(event, 'delta')
  progress.stopReason = (delta && textAt(delta, 'stop_reason')) ?? progress.stopReason
  progress.stopSequence = (delta && textAt(delta, 'stop_sequence')) ?? progress.stopSequence
  return progress.stopReason === null ? 'more' : 'tail'
}

const countKeys = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
]

const hourKey = 'ephemeral_1h_input_tokens'

/** The counts are cumulative: the last of each is final. */
function noteUsage(usage: unknown, { counts }: Progress): void {
  if (!isRecord(usage)) return
  for (const key of countKeys) {
    const count = countAt(usage, key)
    if (count !== undefined) counts.set(key, count)
  }
  const thinking = countAt(recordAt(usage, 'output_tokens_details'), 'thinking_tokens')
  if (thinking !== undefined) counts.set('thinking_tokens', thinking)
  const hour = countAt(recordAt(usage, 'cache_creation'), hourKey)
  if (hour !== undefined) counts.set(hourKey, hour)
}

/** `input_tokens` excludes cached tokens. The output of the first event is not a count yet. */
function countsOf({ counts, outputKnown }: Progress): Usage | null {
  const input = counts.get('input_tokens')
  const output = outputKnown ? counts.get('output_tokens') : 0
  if (input === undefined || output === undefined) return null
  const cacheRead = counts.get('cache_read_input_tokens') ?? 0
  const cacheWrite = counts.get('cache_creation_input_tokens') ?? 0
  return canonicalUsage({
    input: input + cacheRead + cacheWrite,
    output,
    cacheRead,
    cacheWrite,
    cacheWriteHour: counts.get(hourKey),
    reasoning: counts.get('thinking_tokens') ?? 0,
  })
}

function finishReason(reason: string): FinishReason {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'content_filter'
    case 'tool_use':
      return 'tool_calls'
    default:
      return 'stop'
  }
}
