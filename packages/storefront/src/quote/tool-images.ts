import type { ChatMessage, ChatRequest } from '@farebox/api'

type UserMessage = Extract<ChatMessage, { role: 'user' }>
type Part = Exclude<UserMessage['content'], string>[number]

/** Whether the result of a tool holds an image. */
export function hasToolImages({ messages }: ChatRequest): boolean {
  return messages.some((message) => message.role === 'tool' && imagesOf(message).length > 0)
}

/**
 * Moves the images of tool results into the user message that follows, for providers that accept
 * only text there.
 */
export function withToolImagesApart(request: ChatRequest): ChatRequest {
  const messages: ChatMessage[] = []
  let waiting: Part[] = []
  for (const message of request.messages) {
    if (message.role === 'tool') {
      for (const part of namedImages(message)) waiting.push(part)
      messages.push(withoutImages(message))
      continue
    }
    if (waiting.length > 0 && message.role === 'user') {
      messages.push({ ...message, content: [...waiting, ...partsOf(message)] })
    } else messages.push(...asUser(waiting), message)
    waiting = []
  }
  return { ...request, messages: [...messages, ...asUser(waiting)] }
}

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>

function partsOf({ content }: UserMessage | ToolMessage): readonly Part[] {
  return typeof content === 'string' ? [textPart(content)] : content
}

function textPart(text: string): Part {
  return { type: 'text', text, cache_control: undefined }
}

function imagesOf(message: ToolMessage): readonly Part[] {
  return partsOf(message).filter(({ type }) => type === 'image_url')
}

function namedImages(message: ToolMessage): readonly Part[] {
  const images = imagesOf(message)
  return images.length === 0
    ? []
    : [textPart(`Images in the result of ${message.tool_call_id}:`), ...images]
}

function withoutImages(message: ToolMessage): ToolMessage {
  if (typeof message.content === 'string') return message
  const texts = message.content.filter(({ type }) => type === 'text')
  return { ...message, content: texts.length === 0 ? '' : texts }
}

function asUser(parts: readonly Part[]): readonly UserMessage[] {
  return parts.length === 0 ? [] : [{ role: 'user', content: [...parts], name: undefined }]
}
