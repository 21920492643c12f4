import type { ChatMessage } from '@farebox/api'

/** The text of a message, its parts joined; empty when it has none. */
export function messageText(message: ChatMessage): string {
  const { content } = message
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Whether an assistant's turn has only reasoning or nothing: providers reject it. */
export function isEmptyTurn(message: ChatMessage): boolean {
  if (message.role !== 'assistant' || (message.tool_calls ?? []).length > 0) return false
  return messageText(message) === ''
}

/** The texts of all system and developer messages, in order. */
export function systemText(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(messageText)
    .join('\n\n')
}

/**
 * The contents of a `data:` URL, or undefined for any other URL. Claude and Gemini take the standard
 * alphabet and the registered types alone.
 */
export function dataUrlParts(
  url: string,
): { readonly mediaType: string; readonly data: string } | undefined {
  const match = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[^,;]*)*;base64,(.*)$/is.exec(url)
  const [, given, data] = match ?? []
  if (given === undefined || data === undefined) return undefined
  const type = given.toLowerCase()
  return { mediaType: type === 'image/jpg' ? 'image/jpeg' : type, data: standardBase64(data) }
}

function standardBase64(data: string): string {
  if (!/[\s%_-]/.test(data)) return data
  return data
    .replaceAll(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
}
