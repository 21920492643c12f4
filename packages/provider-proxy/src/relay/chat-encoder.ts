import type { ChatChunk } from '@farebox/api'
import { isSeal, type ReasoningDetail, sealOf } from '../reasoning/reasoning-detail.ts'
import { chunkText } from './stream-text.ts'

type Choice = ChatChunk['choices'][number]

/** The seals of a choice so far, and whether its last event with reasoning has them all. */
type Sealed = { readonly seals: ReasoningDetail[]; areTogether: boolean }

/**
 * Writes the chunks of one chat completion. The stream helper of `openai` keeps only the last
 * `reasoning_details` of a choice. So where signatures and encrypted steps came in several events,
 * one more event before the finish reason has all of them. The helper makes null of the content of an
 * empty choice, which is not accepted as history, so such a choice gets an empty text.
 */
export function createChatEncoder(): (chunk: ChatChunk) => string {
  const byChoice = new Map<number, Sealed>()
  const answered = new Set<number>()
  return (given) => {
    for (const choice of given.choices) {
      note(byChoice, choice)
      if (hasAnswer(choice)) answered.add(choice.index)
    }
    const chunk = given.choices.some(isEnd) ? withEmptyTexts(given, answered) : given
    const repeated = chunk.choices.flatMap((choice) => repeatedSeals(byChoice, choice) ?? [])
    if (repeated.length === 0) return chunkText(chunk)
    const { usage: _, ...frame } = chunk
    return chunkText({ ...frame, choices: repeated }) + chunkText(chunk)
  }
}

function note(byChoice: Map<number, Sealed>, { index, delta }: Choice): void {
  const { reasoning_details: details = [] } = delta
  if (details.length === 0) return
  const sealed = byChoice.get(index) ?? { seals: [], areTogether: true }
  const seals = details.filter(isSeal).map(sealOf)
  // One at a time: as arguments of one call, a hundred thousand would exhaust the stack.
  for (const seal of seals) sealed.seals.push(seal)
  sealed.areTogether = seals.length === sealed.seals.length
  byChoice.set(index, sealed)
}

function hasAnswer({ delta: { content, refusal, tool_calls: calls } }: Choice): boolean {
  return Boolean(content || refusal || calls?.length)
}

function isEnd({ finish_reason }: Choice): boolean {
  return finish_reason !== null
}

function withEmptyTexts(chunk: ChatChunk, answered: ReadonlySet<number>): ChatChunk {
  const choices = chunk.choices.map((choice) =>
    isEnd(choice) && !answered.has(choice.index)
      ? { ...choice, delta: { content: '', ...choice.delta } }
      : choice,
  )
  return { ...chunk, choices }
}

function repeatedSeals(
  byChoice: ReadonlyMap<number, Sealed>,
  { index, finish_reason }: Choice,
): Choice | undefined {
  const sealed = byChoice.get(index)
  if (finish_reason === null || sealed === undefined || sealed.areTogether) return undefined
  return { index, delta: { reasoning_details: sealed.seals }, finish_reason: null }
}
