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
 * alphabet and the registered types alone, and Claude refuses an image of another type than is named.
 */
export function dataUrlParts(
  url: string,
): { readonly mediaType: string; readonly data: string } | undefined {
  const start = url.indexOf(',') + 1
  const [, given] = /^data:([a-z]+\/[a-z0-9.+-]+)(;.*)?;base64,$/is.exec(url.slice(0, start)) ?? []
  if (given === undefined) return undefined
  const base64 = standardBase64(url.slice(start))
  return { mediaType: mediaTypeOf(given.toLowerCase(), base64), data: base64 }
}

/** How images of these types begin, in base64. */
const imageStarts: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD[dl]h/, 'image/gif'],
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
]

function mediaTypeOf(given: string, base64: string): string {
  const named = given === 'image/jpg' ? 'image/jpeg' : given
  if (!named.startsWith('image/')) return named
  return imageStarts.find(([start]) => start.test(base64))?.[1] ?? named
}

/** Decoded and encoded again, since replacing characters one by one takes seconds for large images. */
function standardBase64(data: string): string {
  if (!/[\s%_-]/.test(data) || /%(?![0-7][\da-f])/i.test(data)) return data
  const text = data.includes('%') ? decodeURIComponent(data) : data
  return Buffer.from(text, 'base64').toString('base64')
}
