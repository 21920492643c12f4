import type { ChatChunk } from '@farebox/api'
import type { ChatStream } from '../provider/chat-provider.ts'

type Choice = ChatChunk['choices'][number]

/**
 * The chunk as the client gets it; undefined if nothing is left. Encrypted steps stay, since their
 * provider may need them in the next turn and clients cannot read them.
 */
export function shownChunk(
  { reasoning }: Pick<ChatStream, 'reasoning'>,
  chunk: ChatChunk,
): ChatChunk | undefined {
  if (reasoning !== 'excluded') return chunk
  const choices = chunk.choices.map(withoutReasoning).filter(hasContent)
  return choices.length === 0 ? undefined : { ...chunk, choices }
}

function withoutReasoning(choice: Choice): Choice {
  const { reasoning: _, reasoning_details: given, ...delta } = choice.delta
  const details = given?.filter(({ type }) => type === 'reasoning.encrypted') ?? []
  return {
    ...choice,
    delta: { ...delta, ...(details.length > 0 && { reasoning_details: details }) },
  }
}

function hasContent({ delta, finish_reason }: Choice): boolean {
  return finish_reason !== null || Object.keys(delta).length > 0
}
