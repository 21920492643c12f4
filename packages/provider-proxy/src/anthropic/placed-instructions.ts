import type { ChatMessage } from '@farebox/api'
import { reasoningFormats } from '../reasoning/reasoning-detail.ts'
import { detailsInFormat } from '../reasoning/returned-reasoning.ts'
import { isEmptyTurn, messageText } from '../wire/message-text.ts'

/** A conversation as Claude takes it: its instructions, and the messages that follow them. */
export type PlacedInstructions = {
  readonly instructions: readonly ChatMessage[]
  readonly turns: readonly ChatMessage[]
}

/**
 * From Opus 4.8 on, instructions may stand between a turn of the user and the response to it, and the
 * caches and thoughts before them stay valid. All others go before the conversation.
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
export function placeInstructions(
  messages: readonly ChatMessage[],
  upstreamModel: string,
): PlacedInstructions {
  const given = messages.filter(
    (message, index) => !isBlankTurn(message) || holdsThoughtsOf(messages[index + 1], message),
  )
  const mayStay = midConversation.test(upstreamModel)
  const stays = given.map(
    (message, index) => isInstruction(message) && mayStay && isBeforeResponse(given, index),
  )
  const isMoved = (message: ChatMessage, index: number): boolean =>
    isInstruction(message) && stays[index] !== true
  return {
    instructions: given.filter(isMoved),
    turns: given.filter((message, index) => !isMoved(message, index)),
  }
}

/**
 * An answer of white space alone, as some models begin one, is rejected as history.
 * https://github.com/home-assistant/core/issues/175637
 */
function isBlankTurn(message: ChatMessage): boolean {
  const { role } = message
  if (role !== 'assistant' || message.tool_calls !== undefined) return isEmptyTurn(message)
  return !/\S/.test(messageText(message))
}

/** The Responses interface divides an answer where a thought came after some of its text. */
function holdsThoughtsOf(next: ChatMessage | undefined, message: ChatMessage): boolean {
  if (next?.role !== 'assistant') return false
  return detailsInFormat(message, reasoningFormats.anthropic).length > 0
}

const midConversation = /^claude-(opus-4-[89]|[a-z]+-[5-9])/

function isInstruction({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer'
}

function isBeforeResponse(messages: readonly ChatMessage[], index: number): boolean {
  const before = messages[index - 1]
  const after = messages[index + 1]
  const followsUser = before?.role === 'user' || before?.role === 'tool'
  return followsUser && (after === undefined || after.role === 'assistant')
}
