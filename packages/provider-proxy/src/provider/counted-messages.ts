import type { ChatMessage, ChatRequest } from '@farebox/api'
import { alternatingTurns } from './alternating-turns.ts'
import type { RequestLimits } from './unsupported-field.ts'

/**
 * The messages of a request as any of these providers may be sent them: with the answers that one of
 * them requires, and without the reasoning of earlier answers that none is sent. Clients may keep a
 * step in a thousand pieces, each with its type and format, of which models read only the text.
 */
export function countedMessages(
  { messages }: Pick<ChatRequest, 'messages'>,
  providers: readonly Pick<RequestLimits, 'messages'>[],
): ChatMessage[] {
  const sent = new Set(providers.map(({ messages: { reasoning } }) => reasoning))
  const isAlternate = providers.some(({ messages: { turns } }) => turns === 'alternate')
  const conversation = isAlternate ? alternatingTurns(messages) : messages
  const hasCalls = messages.some(({ role }) => role === 'tool')
  if (sent.has('text with tools') && hasCalls) return [...conversation]
  return conversation.map((message) => {
    if (message.role !== 'assistant') return message
    const { reasoning: _, reasoning_content: __, reasoning_details, ...rest } = message
    const details = sent.has('details') ? joinedPieces(reasoning_details ?? []) : []
    return {
      ...rest,
      reasoning_details: details,
      reasoning: undefined,
      reasoning_content: undefined,
    }
  })
}

type Details = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['reasoning_details']>
type Detail = Details[number]

function joinedPieces(details: Details): Details {
  const steps: Detail[] = []
  for (const piece of details) {
    const last = steps.at(-1)
    const joined = last && joinedWith(last, piece)
    if (joined === undefined) steps.push(piece)
    else steps[steps.length - 1] = joined
  }
  return steps
}

/** Undefined where the piece begins another step: encrypted data is whole, and a signature ends one. */
function joinedWith(step: Detail, piece: Detail): Detail | undefined {
  const isSame = (['type', 'format', 'index', 'id'] as const).every(
    (key) => step[key] === piece[key],
  )
  if (!isSame || step.signature !== undefined || (step.data ?? piece.data) !== undefined) {
    return undefined
  }
  const text = `${step.text ?? ''}${piece.text ?? ''}`
  const summary = `${step.summary ?? ''}${piece.summary ?? ''}`
  return { ...piece, text, summary }
}
