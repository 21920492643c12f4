import type { ChatChunk, FinishReason } from '@farebox/api'
import type { Usage } from '@farebox/pricing'
import { unusableCall } from '../provider/unusable-call.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import { type ReasoningDetail, reasoningFormats } from '../reasoning/reasoning-detail.ts'
import { canonicalUsage } from '../wire/canonical-usage.ts'
import type { ChunkFrame, WireReader } from '../wire/chat-wire.ts'
import { generatedCallId } from '../wire/generated-call-id.ts'
import { readJsonEvent, readLateEvent } from '../wire/json-event.ts'
import { arrayAt, isRecord, type JsonRecord, recordAt, textAt } from '../wire/json-reading.ts'
import { makeChunk } from '../wire/make-chunk.ts'
import { countAt } from '../wire/token-count.ts'

type Delta = ChatChunk['choices'][number]['delta']

type Progress = {
  readonly frame: ChunkFrame
  started: boolean
  hasContent: boolean
  calls: number
  signatures: number
  reason: string | null
  usage: Usage | null
}

/**
 * Reads the responses of `streamGenerateContent` (https://ai.google.dev/api/generate-content). There
 * is no end mark: a finish reason makes a response complete.
 */
export function createGeminiReader(frame: ChunkFrame): WireReader {
  const progress: Progress = {
    frame,
    started: false,
    hasContent: false,
    calls: 0,
    signatures: 0,
    reason: null,
    usage: null,
  }
  return {
    read({ data }, emit) {
      const isComplete = finishReason(progress) !== null
      const response = isComplete ? readLateEvent(data) : readJsonEvent(data, frame.provider)
      progress.usage = readUsage(recordAt(response, 'usageMetadata')) ?? progress.usage
      // An answer may end before its first word, and clients need the role of every answer.
      const delta = readCandidate(response, progress) ?? beginning(progress)
      if (delta !== undefined) {
        emit(makeChunk(frame, progress.started ? delta : { role: 'assistant', ...delta }))
        progress.started = true
      }
      return progress.reason === null ? 'more' : 'tail'
    },
    usageSoFar: () => progress.usage,
    end() {
      const reason = finishReason(progress)
      if (reason === null) throwUselessEnd(progress)
      return reason && { finishReasons: [{ index: 0, reason }], usage: progress.usage }
    },
  }
}

function beginning(progress: Progress): Delta | undefined {
  return progress.started || finishReason(progress) === null ? undefined : {}
}

function readCandidate(response: JsonRecord, progress: Progress): Delta | undefined {
  const [candidate] = arrayAt(response, 'candidates')
  if (!isRecord(candidate)) {
    const feedback = recordAt(response, 'promptFeedback')
    const blocked = feedback && textAt(feedback, 'blockReason')
    if (blocked === undefined) return undefined
    progress.reason = 'SAFETY'
    return undefined
  }
  progress.reason = textAt(candidate, 'finishReason') ?? progress.reason
  const content = recordAt(candidate, 'content')
  return content && readParts(arrayAt(content, 'parts').filter(isRecord), progress)
}

type CallDelta = NonNullable<Delta['tool_calls']>[number]

function readParts(parts: readonly JsonRecord[], progress: Progress): Delta | undefined {
  const content = textOf(parts.filter((part) => part['thought'] !== true))
  const reasoning = textOf(parts.filter((part) => part['thought'] === true))
  const calls: CallDelta[] = []
  const details: ReasoningDetail[] = []
  for (const part of parts) {
    const call = readCall(part, progress)
    const detail = readSignature(part, call, progress)
    if (call !== undefined) calls.push(call)
    if (detail !== undefined) details.push(detail)
  }
  const isEmpty = content === '' && reasoning === '' && calls.length === 0
  if (isEmpty && details.length === 0) return undefined
  progress.hasContent ||= !isEmpty
  return {
    ...(content !== '' && { content }),
    ...(reasoning !== '' && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function textOf(parts: readonly JsonRecord[]): string {
  return parts.map((part) => textAt(part, 'text') ?? '').join('')
}

function readCall(part: JsonRecord, progress: Progress): CallDelta | undefined {
  const call = recordAt(part, 'functionCall')
  if (call === undefined) return undefined
  const name = textAt(call, 'name')
  if (name === undefined) throw unusableCall(progress.frame.provider, 'without a name')
  const index = progress.calls
  progress.calls += 1
  return {
    index,
    id: textAt(call, 'id') ?? generatedCallId(progress.frame, 0, index),
    type: 'function',
    function: {
      name,
      arguments: JSON.stringify(recordAt(call, 'args') ?? {}),
    },
  }
}

/** The next turn needs the signature at the same part, which the id of its call identifies. */
function readSignature(
  part: JsonRecord,
  call: CallDelta | undefined,
  progress: Progress,
): ReasoningDetail | undefined {
  const data = textAt(part, 'thoughtSignature')
  if (data === undefined) return undefined
  const index = progress.signatures
  progress.signatures += 1
  return {
    type: 'reasoning.encrypted',
    format: reasoningFormats.gemini,
    ...(call !== undefined && { id: call.id }),
    index,
    data,
  }
}

/** `candidatesTokenCount` leaves thoughts out; cached tokens are inside the prompt's. */
function readUsage(metadata: JsonRecord | undefined): Usage | null {
  const prompt = countAt(metadata, 'promptTokenCount')
  if (prompt === undefined) return null
  const thoughts = countAt(metadata, 'thoughtsTokenCount') ?? 0
  const candidates = countAt(metadata, 'candidatesTokenCount') ?? 0
  return canonicalUsage({
    input: prompt + (countAt(metadata, 'toolUsePromptTokenCount') ?? 0),
    output: candidates + thoughts,
    cacheRead: countAt(metadata, 'cachedContentTokenCount') ?? 0,
    cacheWrite: 0,
    reasoning: thoughts,
  })
}

function finishReason({ reason, calls, hasContent }: Progress): FinishReason | null {
  switch (reason) {
    case null:
      return null
    case 'STOP':
      return calls > 0 ? 'tool_calls' : 'stop'
    case 'MAX_TOKENS':
      return 'length'
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
    case 'IMAGE_SAFETY':
    case 'MODEL_ARMOR':
      return 'content_filter'
    case 'LANGUAGE':
    case 'OTHER':
    case 'FINISH_REASON_UNSPECIFIED':
    case 'TOO_MANY_TOOL_CALLS':
    case 'UNEXPECTED_TOOL_CALL':
      // Google bills what it delivered, so anything delivered counts as a response.
      if (calls > 0) return 'tool_calls'
      return hasContent ? 'stop' : null
    default:
      // Malformed calls, and values added later.
      return null
  }
}

/** Requests can make a model end without anything to use, and Google bills what it thought before. */
function throwUselessEnd({ reason, frame: { provider } }: Progress): void {
  switch (reason) {
    case 'MALFORMED_FUNCTION_CALL':
    case 'MALFORMED_RESPONSE':
    case 'TOO_MANY_TOOL_CALLS':
    case 'UNEXPECTED_TOOL_CALL':
      throw unusableCall(provider, 'that cannot be used')
    case 'LANGUAGE':
    case 'OTHER':
      throw new UpstreamError(`${provider} gave no answer`, { code: 'upstream_withheld', provider })
    default:
  }
}
