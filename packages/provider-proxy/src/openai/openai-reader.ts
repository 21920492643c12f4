import type { ChatChunk, FinishReason } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import type { ChatCall, Timings } from '../provider/chat-provider.ts'
import type { ChoiceEnd } from '../provider/choice-end.ts'
import { unusableCall } from '../provider/unusable-call.ts'
import type { ChunkFrame, WireReader } from '../wire/chat-wire.ts'
import { readJsonEvent, readLateEvent } from '../wire/json-event.ts'
import { arrayAt, isRecord, type JsonRecord, recordAt, textAt } from '../wire/json-reading.ts'
import { makeChunk } from '../wire/make-chunk.ts'
import type { ProviderProfile } from './provider-profile.ts'
import { readSources } from './read-annotations.ts'
import { readDelta } from './read-delta.ts'
import { readTimings } from './read-timings.ts'
import { readUsage } from './read-usage.ts'
import { createToolCallReader, type ToolCallReader } from './tool-call-reader.ts'

type Choice = ChatChunk['choices'][number]

/** What is known of a response so far. */
type Progress = {
  readonly choices: number
  /** The upstream's finish reasons by choice; null until they come. */
  readonly reasons: Map<number, string | null>
  /** The texts of `stop` that ended choices, as vLLM and similar servers report them. */
  readonly stops: Map<number, string>
  readonly calls: Map<number, ToolCallReader>
  /** How many sources outside the choices were emitted. */
  sources: number
  /** Whether the choices carry citations themselves. */
  hasAnnotations: boolean
  usage: Usage | null
  timings: Timings | undefined
  /** Gemini's reason, as OpenRouter passes it on: requests can cause it, and the tokens are billed. */
  isCallBroken: boolean
  over: boolean
}

/** Reads the chunks of an OpenAI-compatible stream. */
export function createOpenAiReader(
  frame: ChunkFrame,
  call: ChatCall,
  profile: ProviderProfile,
): WireReader {
  const progress: Progress = {
    choices: call.request.n ?? 1,
    reasons: new Map(),
    stops: new Map(),
    calls: new Map(),
    sources: 0,
    hasAnnotations: false,
    usage: null,
    timings: undefined,
    isCallBroken: false,
    over: false,
  }
  return {
    read({ data }, emit) {
      if (data === '') return 'more'
      progress.over = data === '[DONE]'
      const event = progress.over ? impliedEnd(progress) : readEvent(data, progress, profile)
      noteUsage(event, progress, profile)
      const chunk = readChunk(event, frame, { progress, profile })
      if (chunk !== undefined) emit(chunk)
      if (progress.over) return 'done'
      const sources = newSources(event, chunk, progress)
      if (sources.length > 0) emit(makeChunk(frame, { annotations: sources }))
      return isInTail(progress) ? 'tail' : 'more'
    },
    usageSoFar: () => progress.usage,
    end() {
      const finishReasons = finalReasons(progress)
      if (finishReasons === null && progress.isCallBroken) {
        throw unusableCall(frame.provider, 'that cannot be used')
      }
      if (finishReasons === null) return null
      const { usage, timings } = progress
      return { finishReasons, usage, ...(timings !== undefined && { timings }) }
    },
  }
}

function readEvent(data: string, progress: Progress, { name }: ProviderProfile): JsonRecord {
  const isComplete = isInTail(progress) && finalReasons(progress) !== null
  return isComplete ? readLateEvent(data) : readJsonEvent(data, name)
}

/**
 * Some servers, such as Snowflake's, never send a finish reason: there, the usage and the end mark
 * make a response complete.
 */
function impliedEnd({ usage, reasons, calls }: Progress): JsonRecord {
  if (!usage?.outputTokens) return {}
  const open = [...reasons].filter(([, reason]) => reason === null)
  const choices = open.map(([index]) => ({
    index,
    finish_reason: calls.get(index)?.isEmpty() === false ? 'tool_calls' : 'stop',
  }))
  return { choices }
}

/** Later counts replace earlier ones: providers repeat them as they grow. */
function noteUsage(event: JsonRecord, progress: Progress, profile: ProviderProfile): void {
  const [first] = arrayAt(event, 'choices')
  const given =
    event['usage'] ??
    (isRecord(first) ? first['usage'] : undefined) ??
    recordAt(event, 'x_groq')?.['usage']
  if (given !== undefined && given !== null) {
    progress.usage = readUsage(given, profile.usage) ?? progress.usage
  }
  progress.timings = readTimings(event, given, profile.timings) ?? progress.timings
}

/** The sources that no earlier event named: they are repeated with each event. */
function newSources(
  event: JsonRecord,
  chunk: ChatChunk | undefined,
  progress: Progress,
): ReturnType<typeof readSources> {
  progress.hasAnnotations ||= chunk?.choices.some(({ delta }) => delta.annotations) === true
  if (progress.hasAnnotations) return []
  const added = readSources(event).slice(progress.sources)
  progress.sources += added.length
  return added
}

type Reading = { readonly progress: Progress; readonly profile: ProviderProfile }

function readChunk(event: JsonRecord, frame: ChunkFrame, reading: Reading): ChatChunk | undefined {
  const choices: Choice[] = []
  for (const given of arrayAt(event, 'choices')) {
    const choice = isRecord(given) ? readChoice(given, frame, reading) : undefined
    if (choice !== undefined) choices.push(choice)
  }
  if (choices.length === 0) return undefined
  const fingerprint = event['system_fingerprint']
  return {
    id: frame.id,
    object: 'chat.completion.chunk',
    created: frame.created,
    model: frame.model,
    provider: frame.provider,
    ...(typeof fingerprint === 'string' && { system_fingerprint: fingerprint }),
    choices,
  }
}

/** A choice without its finish reason, which is held back; undefined when nothing else is in it. */
function readChoice(
  given: JsonRecord,
  frame: ChunkFrame,
  { progress, profile }: Reading,
): Choice | undefined {
  const index = given['index'] ?? 0
  if (typeof index !== 'number' || !Number.isInteger(index)) return undefined
  if (index < 0 || index >= progress.choices) return undefined
  const isNew = !progress.reasons.has(index)
  if (isNew) progress.reasons.set(index, null)
  const reason = textAt(given, 'finish_reason')
  if (reason !== undefined) progress.reasons.set(index, reason)
  progress.isCallBroken ||= given['native_finish_reason'] === 'MALFORMED_FUNCTION_CALL'
  const stop = textAt(given, 'stop_reason')
  if (reason === 'stop' && stop !== undefined) progress.stops.set(index, stop)
  const message = recordAt(given, 'delta') ?? recordAt(given, 'message') ?? {}
  const texts = readDelta(message, profile)
  const calls = progress.calls.get(index) ?? createToolCallReader(frame, index)
  progress.calls.set(index, calls)
  const pieces = [...calls.read(message), ...(reason === undefined ? [] : calls.end())]
  const logprobs = readLogprobs(given)
  const isEmpty = texts === undefined && pieces.length === 0 && logprobs === undefined
  if (isEmpty && !isNew) return undefined
  return {
    index,
    delta: {
      ...(isNew && { role: 'assistant' as const }),
      ...texts,
      ...(pieces.length > 0 && { tool_calls: pieces }),
    },
    ...(logprobs !== undefined && { logprobs }),
    finish_reason: null,
  }
}

function readLogprobs(choice: JsonRecord): object | undefined {
  const given = recordAt(choice, 'logprobs')
  if (given === undefined) return undefined
  const content = arrayAt(given, 'content')
  const refusal = arrayAt(given, 'refusal')
  if (content.length === 0 && refusal.length === 0) return undefined
  return { ...(content.length > 0 && { content }), ...(refusal.length > 0 && { refusal }) }
}

function isInTail({ reasons, choices }: Progress): boolean {
  if (reasons.size < choices) return false
  for (const reason of reasons.values()) if (reason === null) return false
  return true
}

/** Null when the response was cut off or failed. Without an end mark, every choice must have come. */
function finalReasons(progress: Progress): readonly ChoiceEnd[] | null {
  const { reasons, stops, over, choices } = progress
  if (reasons.size === 0 || (!over && reasons.size < choices)) return null
  const final: ChoiceEnd[] = []
  for (const [index, given] of reasons) {
    const reason = given === null ? null : finishReason(given, progress)
    if (reason === null) return null
    const stopSequence = stops.get(index)
    final.push({ index, reason, ...(stopSequence !== undefined && { stopSequence }) })
  }
  return final.sort((a, b) => a.index - b.index)
}

/** An unknown reason means `stop`, provided that the stream ended with its end mark. */
function finishReason(given: string, { over }: Progress): FinishReason | null {
  switch (given) {
    case 'stop':
    case 'length':
    case 'content_filter':
    case 'tool_calls':
      return given
    case 'end':
    case 'end_turn':
    case 'eos':
      return 'stop'
    case 'max_tokens':
    case 'model_length':
    case 'model_context_window_exceeded':
      return 'length'
    case 'sensitive':
    case 'safety':
    case 'refusal':
      return 'content_filter'
    case 'function_call':
    case 'tool_use':
      return 'tool_calls'
    case 'abort':
    case 'error':
    case 'insufficient_system_resource':
    case 'network_error':
      return null
    default:
      return over ? 'stop' : null
  }
}
