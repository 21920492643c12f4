import { isObject } from '../convert/is-object.ts'
import { requireDetail } from '../images/image-rule.ts'
import { kindOf, requireText } from '../vocabulary/require-argument.ts'
import type { ChatMessage, ContentPart } from './chat-message.ts'
import { requireCalls } from './require-calls.ts'

/** Callers without types may pass anything; the characters of a text are not messages. */
export function requireMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  requireObjects('messages', requireArray('messages must be an array', messages))
  for (const [place, message] of messages.entries()) {
    const path = `messages[${place}]`
    const { name, content } = message
    if (name !== undefined) requireText(name, `${path}.name`)
    if (typeof content !== 'string') requireContent(content, `${path}.content`)
    requireCalls(path, message)
  }
  return messages
}

/** The parts of a content that is not text: none if there is no content. */
export function requireContent(
  content: readonly ContentPart[] | null | undefined,
  path = 'content',
): readonly ContentPart[] {
  if (content === null || content === undefined) return []
  requireObjects(path, requireArray(`${path} must be text or an array of parts`, content))
  for (const [place, { image_url: image }] of content.entries()) {
    if (image !== undefined) requireImage(`${path}[${place}].image_url`, image)
  }
  return content
}

/** Other interfaces have the URL itself in its place. */
function requireImage(path: string, image: unknown): void {
  if (!isObject(image) || typeof image['url'] !== 'string') {
    throw new TypeError(`${path} must be an object with a url, and is ${kindOf(image)}`)
  }
  requireDetail(`${path}.detail`, image['detail'])
}

function requireArray(what: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError(`${what}, and is ${kindOf(value)}`)
}

/** A text in place of a message or a part has none of their fields, and would count as nothing. */
function requireObjects(name: string, values: readonly unknown[]): void {
  for (const [place, value] of values.entries()) {
    if (typeof value === 'object' && value !== null) continue
    throw new TypeError(`${name}[${place}] must be an object, and is ${kindOf(value)}`)
  }
}
