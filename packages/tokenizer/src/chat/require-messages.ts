import { kindOf } from '../vocabulary/require-argument.ts'
import type { ChatMessage, ContentPart } from './chat-message.ts'

/** Callers without types may pass anything; the characters of a text are not messages. */
export function requireMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  requireArray('messages must be an array', messages)
  return messages
}

/** The parts of a content that is not text: none if there is no content. */
export function requireContent(
  content: readonly ContentPart[] | null | undefined,
): readonly ContentPart[] {
  if (content === null || content === undefined) return []
  requireArray('content must be text or an array of parts', content)
  return content
}

function requireArray(what: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${what}, and is ${kindOf(value)}`)
}
