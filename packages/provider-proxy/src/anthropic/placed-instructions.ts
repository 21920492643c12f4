import type { ChatMessage } from '@farebox/api'
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
  const given = messages.filter((message) => !isBlankTurn(message))
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
