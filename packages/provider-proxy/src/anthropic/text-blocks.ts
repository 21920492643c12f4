import type { ChatMessage } from '@farebox/api'
import { messageText } from '../wire/message-text.ts'

/** A block of text, up to which a cache may be asked for. */
export type TextBlock = {
  readonly type: 'text'
  readonly text: string
  readonly cache_control?: object | undefined
}

/** The text of a message: a block each if any part is marked, otherwise one for all of it. */
export function textBlocks(message: ChatMessage): readonly TextBlock[] {
  const { content } = message
  const texts =
    typeof content === 'string'
      ? []
      : (content ?? []).flatMap((part) => (part.type === 'text' ? [part] : []))
  if (texts.some(({ cache_control: mark }) => mark !== undefined)) return texts
  const text = messageText(message)
  return text === '' ? [] : [{ type: 'text', text }]
}
