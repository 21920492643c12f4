import type { ChatChunk, ChatCompletion, ChatUsage } from '@farebox/api'
import type { ChoiceEnd } from '../provider/choice-end.ts'
import { createJoinedDetails, type JoinedDetails } from '../reasoning/joined-details.ts'
import { arrayAt, isRecord } from '../wire/json-reading.ts'

type ChunkChoice = ChatChunk['choices'][number]
type Choice = ChatCompletion['choices'][number]
type ToolCallDelta = NonNullable<ChunkChoice['delta']['tool_calls']>[number]

type Collected = {
  content: string
  reasoning: string
  refusal: string
  readonly details: JoinedDetails
  readonly annotations: NonNullable<ChunkChoice['delta']['annotations']>
  readonly images: NonNullable<ChunkChoice['delta']['images']>
  readonly calls: Map<number, { id: string; name: string; arguments: string }>
  readonly logprobs: { readonly content: unknown[]; readonly refusal: unknown[] }
}

/** Builds the body of a completion from its chunks. */
export type CompletionBody = {
  add(chunk: ChatChunk): void
  finished(ends: readonly ChoiceEnd[]): (usage: ChatUsage | null) => ChatCompletion
}

export function createCompletionBody(frame: {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly provider: string
}): CompletionBody {
  const choices = new Map<number, Collected>()
  let fingerprint: string | undefined

  function at(index: number): Collected {
    const choice = choices.get(index) ?? emptyChoice()
    choices.set(index, choice)
    return choice
  }

  return {
    add(chunk) {
      fingerprint ??= chunk.system_fingerprint
      for (const choice of chunk.choices) collect(at(choice.index), choice)
    },
    finished: (ends) => (usage) => ({
      id: frame.id,
      object: 'chat.completion',
      created: frame.created,
      model: frame.model,
      provider: frame.provider,
      system_fingerprint: fingerprint ?? '',
      choices: ends.map((end) => completionChoice(end, at(end.index))),
      ...(usage !== null && { usage }),
    }),
  }
}

function emptyChoice(): Collected {
  return {
    content: '',
    reasoning: '',
    refusal: '',
    details: createJoinedDetails(),
    annotations: [],
    images: [],
    calls: new Map(),
    logprobs: { content: [], refusal: [] },
  }
}

function collect(choice: Collected, { delta, logprobs }: ChunkChoice): void {
  choice.content += delta.content ?? ''
  choice.reasoning += delta.reasoning ?? ''
  choice.refusal += delta.refusal ?? ''
  for (const detail of delta.reasoning_details ?? []) choice.details.add(detail)
  for (const call of delta.tool_calls ?? []) addCall(choice, call)
  // One at a time: there may be more than a call takes as arguments.
  for (const one of delta.annotations ?? []) choice.annotations.push(one)
  for (const one of delta.images ?? []) choice.images.push(one)
  if (!isRecord(logprobs)) return
  for (const one of arrayAt(logprobs, 'content')) choice.logprobs.content.push(one)
  for (const one of arrayAt(logprobs, 'refusal')) choice.logprobs.refusal.push(one)
}

function addCall({ calls }: Collected, delta: ToolCallDelta): void {
  const call = calls.get(delta.index) ?? { id: '', name: '', arguments: '' }
  call.id ||= delta.id ?? ''
  call.name ||= delta.function?.name ?? ''
  call.arguments += delta.function?.arguments ?? ''
  calls.set(delta.index, call)
}

function completionChoice({ index, reason, stopSequence }: ChoiceEnd, choice: Collected): Choice {
  const { content, reasoning, refusal, details, annotations, images, calls, logprobs } = choice
  const toolCalls = [...calls.values()].map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }))
  const hasNoText = content === '' && (toolCalls.length > 0 || refusal !== '')
  return {
    index,
    message: {
      role: 'assistant',
      content: hasNoText ? null : content,
      ...(reasoning !== '' && { reasoning }),
      ...(details.details.length > 0 && { reasoning_details: [...details.details] }),
      refusal: refusal === '' ? null : refusal,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      ...(annotations.length > 0 && { annotations }),
      ...(images.length > 0 && { images }),
    },
    logprobs: logprobsOf(logprobs),
    finish_reason: reason,
    ...(stopSequence !== undefined && { stop_sequence: stopSequence }),
  }
}

function logprobsOf({ content, refusal }: Collected['logprobs']): object | null {
  if (content.length === 0 && refusal.length === 0) return null
  return { ...(content.length > 0 && { content }), ...(refusal.length > 0 && { refusal }) }
}
